# A recipe for Spack: copy this folder as packages/foretrace/ into a repository of your own
# (spack repo create), set git to where you cloned foretrace from, and spack install foretrace.
from spack.package import *


class Foretrace(MesonPackage):
    """Offline engine for recorded address traces: exact reuse distances, scaling models, and
    forecasts of cache misses, TLB misses and time on machines that one does not have."""

    git = "file:///path/to/foretrace"

    license("GPL-3.0-or-later")

    version("main", branch="main")

    variant("mpi", default=False, description="replay traces by several processes (replay --mpi)")

    requires("target=x86_64:", msg="captures programs for x86-64")
    requires("platform=linux")

    depends_on("c", type="build")
    depends_on("fortran", type="build")
    depends_on("meson@1.0:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hdf5@1.10:")
    depends_on("zstd")
    depends_on("xxhash")
    depends_on("nettle")
    depends_on("libarchive compression=zstd")
    depends_on("zlib-api")
    depends_on("xz")
    depends_on("jansson")
    depends_on("capstone")
    depends_on("zydis")
    depends_on("binutils+headers+libiberty")
    depends_on("elfutils")
    depends_on("libyaml")
    depends_on("libcyaml")
    depends_on("hwloc")
    depends_on("gsl")
    depends_on("mpi", when="+mpi")

    def meson_args(self):
        # Plots of reports need d3 as Debian's node-d3 has it; without it pages have none.
        return [
            "-Dmpi=" + ("enabled" if self.spec.satisfies("+mpi") else "disabled"),
            "-Dd3=auto",
        ]
