// Nothing of its own: compiled with the headers that nearly every test reads, which the tests then find precompiled.
