#include "cli/commands.hpp"

int main(int argc, char** argv) {
  return halotune::run_program(argc, argv);
}
