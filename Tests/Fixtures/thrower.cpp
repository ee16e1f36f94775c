// A function that throws, for a plugin in C that catches nothing.
#include <stdexcept>

namespace tables {
struct Reader {
  static void load(const char *name);
};

void Reader::load(const char *name) { throw std::runtime_error(std::string(name) + " is missing"); }
}  // namespace tables

extern "C" void throw_now() { tables::Reader::load("the table"); }
