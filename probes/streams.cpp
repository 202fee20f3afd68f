#include "probes/streams.hpp"

#include "solver/device/isa.hpp"

namespace halotune {

namespace isa_baseline {
extern const StreamLoops stream_loops;
}
#if defined(__x86_64__)
namespace isa_avx2 {
extern const StreamLoops stream_loops;
}
namespace isa_avx512 {
extern const StreamLoops stream_loops;
}
#endif

const StreamLoops& stream_loops() {
  switch (default_isa()) {
#if defined(__x86_64__)
    case Isa::avx512: return isa_avx512::stream_loops;
    case Isa::avx2: return isa_avx2::stream_loops;
#endif
    default: return isa_baseline::stream_loops;
  }
}

}  // namespace halotune
