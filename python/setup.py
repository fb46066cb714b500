"""A wheel py3-none-PLATFORM that carries libcafe and libcafe-lab, their prototypes and the stubs made from both.

$CAFE_SOURCE is the root of the C project (its version is ours), $CAFE_BUILD the folder it was built
in; without them the folder above, and build/ in it. $CAFE_PLATFORM names the platform when it is not
this very system (scripts/wheel), $CAFE_LICENCES a folder with the licences of what is linked in.
$CAFE_APART says that the libraries are installed apart (debian/): then the package is the same everywhere.
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
APART = bool(os.environ.get("CAFE_APART"))
SONAMES = "libcafe-lab.so.0", "libcafe.so.0"  # the first needs the second


def version() -> str:
    text = (SOURCE / "CMakeLists.txt").read_text()
    return re.search(r"project\(cafe VERSION ([\d.]+)", text).group(1)


class WithLibrary(build_py):
    """Python files, the libraries beside them, and what is generated from headers and tables."""

    def run(self):
        libraries, here = [BUILD / name for name in SONAMES], pathlib.Path(__file__).resolve().parent
        for library in libraries:
            if not library.exists():
                raise SystemExit(f"{library}: not there; build the C project first (scripts/build)")
        environment = {**os.environ, "CAFE_SOURCE": str(SOURCE), "CAFE_LIBRARY": str(libraries[0])}
        for script, target in (("generate_abi.py", "_abi.py"), ("generate_stubs.py", "__init__.pyi")):
            subprocess.run([sys.executable, here / script, here / "cafe" / target], env=environment,
                           check=True)
        super().run()
        for library in [] if APART else libraries:
            shutil.copyfile(library, pathlib.Path(self.build_lib) / "cafe" / library.name)


class NativeDistribution(Distribution):
    """Not pure: it goes where libraries of this platform go."""

    def has_ext_modules(self):
        return not APART


def licences() -> list:
    """Ours, that of the letters, which are part of the library, and those of what else
    was linked in."""
    bundled = os.environ.get("CAFE_LICENCES")
    return [SOURCE / "LICENSE", SOURCE / "LICENSE.DejaVu",
            *(sorted(pathlib.Path(bundled).iterdir()) if bundled else [])]


class AnyPython(bdist_wheel):
    """ctypes needs no particular interpreter, only the platform."""

    def get_tag(self):
        return ("py3", "none", os.environ.get("CAFE_PLATFORM") or super().get_tag()[2])

    def egg2dist(self, egginfo_path, distinfo_path):
        super().egg2dist(egginfo_path, distinfo_path)
        folder = pathlib.Path(distinfo_path) / "licenses"
        folder.mkdir(exist_ok=True)
        for file in licences():
            shutil.copyfile(file, folder / file.name)


setup(version=version(), distclass=NativeDistribution,
      cmdclass={"build_py": WithLibrary, "bdist_wheel": AnyPython})
