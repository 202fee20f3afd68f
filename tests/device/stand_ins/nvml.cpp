// A stand-in for the vendor's management library: two GPUs of four NVLinks each, one of them straight to the other GPU.
// STAND_IN_NVML breaks it: "init", "count", "handle" fail; "busy" gives processes and throttling; "switch" puts all
// links to a switch.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

constexpr int success = 0, unknown = 999, insufficient_size = 7, not_supported = 3;
int devices[2];

bool mode(std::string_view name) {
  const char* value = std::getenv("STAND_IN_NVML");
  return value != nullptr && name == value;
}

int index_of(void* device) {
  return device == &devices[1] ? 1 : 0;
}

int put(char* text, unsigned size, const char* value) {
  if (std::strlen(value) + 1 > size) return insufficient_size;
  std::strcpy(text, value);
  return success;
}

struct PciInfo {
  char legacy_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};

void put_pci(PciInfo* pci, int index) {
  *pci = {};
  pci->bus = index == 0 ? 0x18 : 0x2a;
  std::snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02X:00.0", pci->bus);
}

struct ProcessInfo {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
};

struct FieldValue {
  unsigned field, scope;
  long long timestamp, latency_us;
  int type, result;
  unsigned long long value;
};

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return mode("init") ? unknown : success;
}
int nvmlShutdown() {
  return success;
}
const char* nvmlErrorString(int code) {
  return code == unknown ? "Unknown Error" : "another error";
}
int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  return put(text, size, "580.0.1");
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return mode("count") ? unknown : success;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (mode("handle") && index == 1) return unknown;
  *device = &devices[index];
  return success;
}
int nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
  return put(text, size, index_of(device) == 0 ? "GPU-aaaa" : "GPU-bbbb");
}
int nvmlDeviceGetName(void*, char* text, unsigned size) {
  return put(text, size, "ACME G1");
}
int nvmlDeviceGetPciInfo_v3(void* device, PciInfo* pci) {
  put_pci(pci, index_of(device));
  return success;
}
int nvmlDeviceGetMemoryInfo(void*, unsigned long long* total_free_used) {
  total_free_used[0] = 80ULL << 30;
  total_free_used[1] = 79ULL << 30;
  total_free_used[2] = 1ULL << 30;
  return success;
}
int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* value) {
  *value = 5;
  return success;
}
int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* value) {
  *value = 16;
  return success;
}
int nvmlDeviceGetClockInfo(void*, unsigned which, unsigned* value) {
  *value = which == 1 ? 1980 : 2619;
  return success;
}
// nvmlDeviceGetTemperature is missing on purpose.
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
  *bits = mode("busy") ? 0x1 | 0x4 | 0x40 : 0x1;
  return success;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, ProcessInfo* processes) {
  const unsigned here = mode("busy") && index_of(device) == 0 ? 100 : 1;
  const unsigned room = *count;
  *count = here;
  if (room < here) return insufficient_size;
  for (unsigned i = 0; i < here; ++i) processes[i] = {i == 0 ? static_cast<unsigned>(getpid()) : 1, 0, 0, 0};
  return success;
}
int nvmlDeviceGetNvLinkState(void*, unsigned link, unsigned* active) {
  if (link >= 4) return not_supported;
  *active = link != 3;
  return success;
}
int nvmlDeviceGetNvLinkRemoteDeviceType(void*, unsigned, unsigned* type) {
  *type = mode("switch") ? 2 : 0;
  return success;
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(void* device, unsigned link, PciInfo* pci) {
  put_pci(pci, 1 - index_of(device));
  if (link == 0) pci->bus = 0x99;  // a third GPU
  return success;
}
int nvmlDeviceGetFieldValues(void*, int count, FieldValue* fields) {
  for (int i = 0; i < count; ++i) {
    fields[i].type = 1;
    fields[i].value = 26562;
    fields[i].result = fields[i].field == 90 ? success : not_supported;
  }
  return success;
}
int nvmlDeviceGetTopologyCommonAncestor(void*, void*, unsigned* level) {
  *level = 40;
  return success;
}
}
