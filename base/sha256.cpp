#include <openssl/evp.h>

#include <array>

#include "base/json.hpp"

namespace halotune {
namespace {

EVP_MD_CTX* as_context(void* context) {
  return static_cast<EVP_MD_CTX*>(context);
}

void require_success(int result, const char* call) {
  if (result != 1) throw DeviceError(std::string("SHA-256 failed (") + call + " of libcrypto reported an error)");
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  if (context_ == nullptr) throw DeviceError("SHA-256 failed (libcrypto has no memory for a context)");
  if (EVP_DigestInit_ex(as_context(context_), EVP_sha256(), nullptr) != 1) {
    EVP_MD_CTX_free(as_context(context_));
    throw DeviceError("SHA-256 failed (libcrypto does not offer it)");
  }
}

Sha256::~Sha256() {
  EVP_MD_CTX_free(as_context(context_));
}

void Sha256::update(const void* bytes, std::size_t count) {
  require_success(EVP_DigestUpdate(as_context(context_), bytes, count), "EVP_DigestUpdate");
}

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  require_success(EVP_DigestFinal_ex(as_context(context_), digest.data(), &length), "EVP_DigestFinal_ex");
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (unsigned int index = 0; index < length; ++index) {
    text += digits[digest[index] >> 4];
    text += digits[digest[index] & 15];
  }
  return text;
}

}  // namespace halotune
