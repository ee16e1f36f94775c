/* A library that a plugin needs. */
int stub_library_function(void) { return 1; }
