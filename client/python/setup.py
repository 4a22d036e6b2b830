"""Generates the messages and stubs of proto/quantgate/v1 into the package; the rest is in pyproject.toml."""
import pathlib

from setuptools import Extension, find_namespace_packages, setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
PROTO = HERE.parent.parent / "proto"


class BuildPy(build_py):
    def run(self) -> None:
        super().run()
        # Last: an editable install has left messages in the source tree, which may be of an older contract.
        self.generate(pathlib.Path(self.build_lib))

    def generate(self, folder: pathlib.Path) -> None:
        from grpc_tools import protoc
        import grpc_tools

        if self.editable_mode:
            folder = HERE
        folder.mkdir(parents=True, exist_ok=True)
        well_known = pathlib.Path(grpc_tools.__file__).parent / "_proto"
        files = sorted(str(path) for path in (PROTO / "quantgate" / "v1").glob("*.proto"))
        arguments = [f"-I{PROTO}", f"-I{well_known}", f"--python_out={folder}", f"--pyi_out={folder}",
                     f"--grpc_python_out={folder}"]
        if not files or protoc.main(["protoc", *arguments, *files]) != 0:
            raise RuntimeError(f"the messages could not be generated from {PROTO}")


setup(packages=find_namespace_packages(include=["quantgate", "quantgate.*"]),
      package_data={"quantgate": ["py.typed", "*.pyi"]},
      exclude_package_data={"quantgate": ["*.c"]},
      # Without a compiler the package works as well, in more time.
      ext_modules=[Extension("quantgate._native", ["quantgate/_native.c"], optional=True)],
      cmdclass={"build_py": BuildPy})
