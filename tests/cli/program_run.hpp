#pragma once
#include "tests/program_run.hpp"  // IWYU pragma: export
