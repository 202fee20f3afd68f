// Stands in for libnccl.so.2: its names, none of its work. STAND_IN_VERSION, STAND_IN_RESULT and STAND_IN_SENDS say
// what is wrong with it.
extern "C" {

int ncclGetVersion(int* version) {
  *version = STAND_IN_VERSION;
  return STAND_IN_RESULT;
}
const char* ncclGetErrorString(int) {
  return "";
}
int ncclCommInitAll() {
  return 0;
}
int ncclCommDestroy() {
  return 0;
}
int ncclCommAbort() {
  return 0;
}
int ncclCommGetAsyncError() {
  return 0;
}
int ncclGroupStart() {
  return 0;
}
int ncclGroupEnd() {
  return 0;
}
#if STAND_IN_SENDS
int ncclSend() {
  return 0;
}
int ncclRecv() {
  return 0;
}
#endif
int ncclReduce() {
  return 0;
}
int ncclBroadcast() {
  return 0;
}
int ncclAllReduce() {
  return 0;
}
int ncclReduceScatter() {
  return 0;
}
int ncclAllGather() {
  return 0;
}
}
