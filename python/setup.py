"""A wheel py3-none-PLATFORM that carries libcafe, its prototypes and the stubs made from both.

$CAFE_SOURCE is the root of the C project (its version is ours), $CAFE_BUILD the folder it was built
in; without them the folder above, and build/ in it.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

SOURCE = pathlib.Path(os.environ.get("CAFE_SOURCE", pathlib.Path(__file__).resolve().parent.parent))
BUILD = pathlib.Path(os.environ.get("CAFE_BUILD", SOURCE / "build"))
SONAME = "libcafe.so.0"


def version() -> str:
    text = (SOURCE / "CMakeLists.txt").read_text()
    return re.search(r"project\(cafe VERSION ([\d.]+)", text).group(1)


class WithLibrary(build_py):
    """Python files, the library beside them, and what is generated from headers and tables."""

    def run(self):
        library, here = BUILD / SONAME, pathlib.Path(__file__).resolve().parent
        if not library.exists():
            raise SystemExit(f"{library}: not there; build the C project first (scripts/build)")
        environment = {**os.environ, "CAFE_SOURCE": str(SOURCE), "CAFE_LIBRARY": str(library)}
        for script, target in (("generate_abi.py", "_abi.py"), ("generate_stubs.py", "__init__.pyi")):
            subprocess.run([sys.executable, here / script, here / "cafe" / target], env=environment,
                           check=True)
        super().run()
        for file in (library, SOURCE / "LICENSE", SOURCE / "LICENSE.LAPACK"):
            shutil.copyfile(file, pathlib.Path(self.build_lib) / "cafe" / file.name)


class NativeDistribution(Distribution):
    """Not pure: it goes where libraries of this platform go."""

    def has_ext_modules(self):
        return True


class AnyPython(bdist_wheel):
    """ctypes needs no particular interpreter, only the platform."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setup(version=version(), distclass=NativeDistribution,
      cmdclass={"build_py": WithLibrary, "bdist_wheel": AnyPython})
