# shellcheck shell=bash
# Sourced by the scripts that build for, or try on, other systems than this one. Packages of any release of
# Debian or Ubuntu are got by an apt of their own, with signatures checked, and nothing of it touches the
# system. What was got stays in $CAFE_ROOTS (build/roots), so that the next run is quick.
#
#     fetch SUITE PACKAGE ...          the .deb files of these packages, in $CAFE_ROOTS/apt/SUITE/debs; SUITE of
#                                      Debian may be that of ARM: bookworm-arm64
#     unpack SUITE FOLDER PACKAGE ...  fetches them and unpacks them into FOLDER
#     fetch_source SUITE SOURCE        the folder with the unpacked Debian source package
#     root SUITE                       a bare system; prints its folder (root only)
#     dressed SUITE NAME PACKAGE ...   a copy of it, SUITE-NAME, with these packages; prints its folder (root only)
#     arm_root                         Debian's libraries for ARM, to build with, in $CAFE_ROOTS/arm64
#     inside FOLDER COMMAND ...        runs a command in such a system; what it writes there is forgotten. $SHARE, a
#                                      folder, is then /share (root only)
ROOTS=${CAFE_ROOTS:-$PWD/build/roots}
DEBIAN=http://deb.debian.org/debian
UBUNTU=http://archive.ubuntu.com/ubuntu

say() { echo "== $*" >&2; }

die() {
    echo "${0##*/}: $*" >&2
    exit 1
}

distribution() { # distribution SUITE: whose it is
    case ${1%-arm64} in
        bullseye | bookworm | trixie | forky | sid) echo debian ;;
        bionic | focal | jammy | noble) echo ubuntu ;;
        *) die "no suite '$1' is known here" ;;
    esac
}

# keyring SUITE: the file with the keys that sign it. Ubuntu's are in Debian's archive, signed by Debian.
keyring() {
    local file=/usr/share/keyrings/debian-archive-keyring.gpg
    [[ -r $file ]] || die "please install debian-archive-keyring"
    if [[ $(distribution "$1") == ubuntu ]]; then
        file=$ROOTS/keys/usr/share/keyrings/ubuntu-archive-keyring.gpg
        if [[ ! -s $file ]]; then
            fetch trixie ubuntu-keyring
            dpkg-deb -x "$ROOTS"/apt/trixie/debs/ubuntu-keyring_*.deb "$ROOTS/keys"
        fi
    fi
    echo "$file"
}

sources() { # sources SUITE: its lines for apt
    local keys suite kind name=${1%-arm64}
    keys=$(keyring "$1")
    for kind in deb deb-src; do
        if [[ $(distribution "$1") == debian ]]; then
            echo "$kind [signed-by=$keys] $DEBIAN $name main"
        else
            for suite in "$1" "$1-updates"; do
                echo "$kind [signed-by=$keys] $UBUNTU $suite main universe"
            done
        fi
    done
}

# apart SUITE ARGUMENT ...: apt-get with lists and caches of its own, for another release
apart() {
    local home=$ROOTS/apt/$1 architecture=amd64
    [[ $1 != *-arm64 ]] || architecture=arm64
    if [[ ! -s $home/apt.conf ]]; then
        mkdir -p "$home"/{lists/partial,cache/archives/partial,etc/{preferences.d,none},debs,sources}
        : >"$home/status"
        cat >"$home/apt.conf.part" <<TEXT
Dir::State "$home";
Dir::State::Lists "$home/lists";
Dir::State::Status "$home/status";
Dir::Cache "$home/cache";
Dir::Etc "$home/etc";
Dir::Etc::SourceList "$home/sources.list";
Dir::Etc::SourceParts "none";
Dir::Etc::Parts "none";
APT::Sandbox::User "root";
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Install-Recommends "false";
Acquire::Languages "none";
Debug::NoLocking "true";
TEXT
        sources "$1" >"$home/sources.list"
        APT_CONFIG=$home/apt.conf.part apt-get update -qq >&2
        mv "$home/apt.conf.part" "$home/apt.conf"
    fi
    APT_CONFIG=$home/apt.conf apt-get -qq "${@:2}" >&2
}

fetch() {
    local package missing=()
    for package in "${@:2}"; do
        compgen -G "$ROOTS/apt/$1/debs/${package}_*.deb" >/dev/null || missing+=("$package")
    done
    [[ ${#missing[@]} -gt 0 ]] || return 0
    say "fetching from $1: ${missing[*]}"
    apart "$1" check
    (cd "$ROOTS/apt/$1/debs" && apart "$1" download "${missing[@]}")
}

unpack() {
    local package
    fetch "$1" "${@:3}"
    for package in "${@:3}"; do dpkg-deb -x "$ROOTS/apt/$1/debs/${package}"_*.deb "$2"; done
    # absolute links would lead to files of this system
    find "$2" -type l -lname '/*' -printf '%p %l\n' | while read -r link target; do ln -sfrn "$2$target" "$link"; done
}

# arm_root: what cross-building for ARM needs of that system, and what its tests do, in $ROOTS/arm64
arm_root() {
    [[ ! -e $ROOTS/arm64/.made ]] || return 0
    rm -rf "$ROOTS/arm64"
    unpack bookworm-arm64 "$ROOTS/arm64" libc6 libc6-dev libgcc-s1 linux-libc-dev libisal2 libisal-dev libexpat1 \
        libexpat1-dev zlib1g libzstd1 libzstd-dev liblzma5 liblzma-dev libcmocka0 libcmocka-dev
    : >"$ROOTS/arm64/.made"
}

fetch_source() {
    local home=$ROOTS/apt/$1/sources
    if ! compgen -G "$home/$2-*/debian" >/dev/null; then
        say "fetching the source of $2 from $1"
        apart "$1" check
        (cd "$home" && apart "$1" source "$2")
    fi
    find "$home" -mindepth 1 -maxdepth 1 -type d -name "$2-*"
}

# logged SUITE COMMAND ...: what it prints is of interest when it fails
logged() {
    "${@:2}" >"$ROOTS/$1.log" 2>&1 || { tail -5 "$ROOTS/$1.log" >&2; die "$1: ${*:2:2} failed: $ROOTS/$1.log"; }
}

root() {
    local suite=$1 folder=$ROOTS/$1 mirror=$DEBIAN
    [[ $(id -u) -eq 0 ]] || die "a bare system can only be made by root"
    [[ $(distribution "$suite") == debian ]] || mirror=$UBUNTU
    if [[ ! -e $folder/.made ]]; then
        command -v debootstrap >/dev/null || die "please install debootstrap"
        say "making a bare $suite in $folder"
        rm -rf "$folder"
        mkdir -p "$folder" "$ROOTS/debs"
        logged "$suite" debootstrap --variant=minbase --keyring="$(keyring "$suite")" --cache-dir="$ROOTS/debs" \
            "$suite" "$folder" "$mirror"
        sources "$suite" | sed 's/ \[[^]]*\]//; /^deb-src/d' >"$folder/etc/apt/sources.list"
        rm -rf "$folder"/etc/apt/sources.list.d/*
        logged "$suite" in_root "$folder" apt-get update
        : >"$folder/.made"
    fi
    echo "$folder"
}

dressed() {
    local suite=$1 folder=$ROOTS/$1-$2 bare package missing=()
    if [[ ! -e $folder/.made ]]; then
        bare=$(root "$suite")
        rm -rf "$folder"
        cp -a "$bare" "$folder"
    fi
    for package in "${@:3}"; do
        [[ -e $folder/usr/share/doc/$package ]] || missing+=("$package")
    done
    if [[ ${#missing[@]} -gt 0 ]]; then
        say "$suite: installing ${missing[*]}"
        logged "$suite" in_root "$folder" env DEBIAN_FRONTEND=noninteractive apt-get install -y \
            --no-install-recommends "${missing[@]}"
    fi
    echo "$folder"
}

# in_root FOLDER COMMAND ...: as root of that system, in an environment of its own; what it writes stays
in_root() {
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    # shellcheck disable=SC2016 # for the shell inside
    unshare --mount --pid --fork bash -c 'mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"
        exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"' "$@"
}

inside() {
    local over
    over=$(mktemp -d "$ROOTS/over.XXXXXX")
    mkdir "$over"/{upper,work,root}
    local status=0
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    # shellcheck disable=SC2016 # for the shell inside
    unshare --mount --pid --fork bash -euc 'over=$1 base=$2; shift 2
        mount -t overlay overlay -o "lowerdir=$base,upperdir=$over/upper,workdir=$over/work" "$over/root"
        mount -t proc proc "$over/root/proc"
        mount --rbind /dev "$over/root/dev"
        mkdir "$over/root/share"
        [[ -z ${SHARE:-} ]] || mount --bind "$SHARE" "$over/root/share"
        exec chroot "$over/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive "$@"' inside "$over" "$@" || status=$?
    rm -rf "$over"
    return $status
}
