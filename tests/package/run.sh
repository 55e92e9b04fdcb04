#!/usr/bin/env bash
# One test of the Debian package; see CMakeLists.txt here for the cases and the environment.
#
# `install` makes the package and installs it below $WORK/root, an empty root: with dpkg and a database of its own where
# we are root, else by unpacking. Nothing of this machine's packages is touched.
set -euo pipefail

readonly root=$WORK/root
readonly holdfast=$root/usr/bin/holdfast

fail() {
  printf 'package: %s\n' "$*" >&2
  exit 1
}

has() { [[ $1 == *"$2"* ]] || fail "'$2' is not in: $1"; }

the_deb() {
  local -a found=("$WORK"/deb/holdfast_*.deb)
  if ((${#found[@]} != 1)) || [[ ! -f ${found[0]} ]]; then fail "not one package in $WORK/deb: ${found[*]}"; fi
  printf '%s\n' "${found[0]}"
}

dpkg_here() { dpkg --root="$root" --force-not-root --force-depends --log="$WORK/dpkg.log" "$@"; }

case_install() {
  rm -rf "$WORK"
  mkdir -p "$WORK/deb" "$root"
  (cd "$WORK" && "$CPACK" --config "$BUILD/CPackConfig.cmake" -B "$WORK/deb")
  if ((EUID == 0)); then
    mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
    : >"$root/var/lib/dpkg/status"
    dpkg_here --install "$(the_deb)"
    has "$(dpkg_here --status holdfast)" "Status: install ok installed"
  else
    dpkg-deb --extract "$(the_deb)" "$root"
  fi
}

case_control() {
  local control
  control=$(dpkg-deb --field "$(the_deb)")
  has "$control" "Package: holdfast"
  has "$control" "Version: $VERSION-1"
  has "$control" "Architecture: $(dpkg --print-architecture)"
  has "$control" "Recommends: redis-server"
  has "$control" "Maintainer: "
  # What the linker says, by package.
  local depends
  depends=$(dpkg-deb --field "$(the_deb)" Depends)
  has "$depends" "libc6 (>="
  has "$depends" "libssl3 (>="
  has "$depends" "libstdc++6 (>="
  # Nothing of it runs during an installation, and there is no file in /etc to ask about.
  local scripts
  scripts=$(dpkg-deb --ctrl-tarfile "$(the_deb)" | tar -t)
  [[ $scripts != *postinst* && $scripts != *prerm* && $scripts != *conffiles* ]] || fail "scripts: $scripts"
  has "$(dpkg-deb --info "$(the_deb)" triggers)" "activate-noawait ldconfig"
}

case_files() {
  local file
  for file in bin/holdfast include/holdfast/holdfast.hpp "$LIBDIR/libholdfast.a" "$LIBDIR/libholdfast.so" \
    "$LIBDIR/pkgconfig/holdfast.pc" "$LIBDIR/cmake/holdfast/holdfast-config.cmake" \
    share/bash-completion/completions/holdfast share/zsh/vendor-completions/_holdfast \
    share/fish/vendor_completions.d/holdfast.fish share/man/man1/holdfast.1.gz share/doc/holdfast/copyright \
    share/doc/holdfast/changelog.gz share/doc/holdfast/changelog.Debian.gz share/doc/holdfast/examples/holdfast.conf; do
    [[ -e $root/usr/$file ]] || fail "there is no /usr/$file"
  done
  [[ ! -e $root/etc ]] || fail "there is a file below /etc"
  has "$(zcat "$root/usr/share/doc/holdfast/changelog.Debian.gz")" "holdfast ($VERSION-1)"
  # Owned by root, written by nobody else, and nothing outside /usr.
  local odd
  odd=$(dpkg-deb --contents "$(the_deb)" | awk '$1 !~ /^l/ && ($1 ~ /^.....w|^........w/ || $2 != "root/root" || $6 !~ /^\.\/usr\//)')
  [[ -z $odd ]] || fail "odd files: $odd"
  # The example says nothing that the command refuses, also with its comments taken away.
  sed 's/^#\([a-z]\)/\1/' "$root/usr/share/doc/holdfast/examples/holdfast.conf" >"$WORK/holdfast.conf"
  chmod 600 "$WORK/holdfast.conf"
  local code=0
  HOLDFAST_CONFIG=$WORK/holdfast.conf "$holdfast" bench --url redis://127.0.0.1:1 2>"$WORK/said" || code=$?
  [[ $code == 69 ]] || fail "with the example as configuration: $code, $(cat "$WORK/said")"
}

case_command() {
  has "$("$holdfast" version)" "holdfast $VERSION"
  has "$("$holdfast" help)" "Usage: holdfast VERB"
  has "$("$SOURCE/tests/support/with-redis.sh" "$holdfast" bench --seconds 0.2)" "PING"
  if "$holdfast" help --verbs | grep -qx run; then
    "$SOURCE/tests/support/with-redis.sh" "$holdfast" run package-test -- true
    local code=0
    "$SOURCE/tests/support/with-redis.sh" "$holdfast" run package-test -- sh -c 'exit 3' || code=$?
    [[ $code == 3 ]] || fail "run did not pass the code on: $code"
  fi
}

case_manual() {
  local verb
  local -a pages=(holdfast)
  while read -r verb; do pages+=("holdfast-$verb"); done < <("$holdfast" help --verbs)
  for verb in "${pages[@]}"; do
    has "$(man -M "$root/usr/share/man" --where "$verb")" "$root/usr/share/man/man1/$verb.1.gz"
    has "$(LC_ALL=C man -M "$root/usr/share/man" "$verb" 2>&1 | col -b)" "SYNOPSIS"
  done
  [[ $(find "$root/usr/share/man" -name '*.gz' | wc -l) == "${#pages[@]}" ]] || fail "pages of verbs that are gone"
}

case_completion() {
  bash -n "$root/usr/share/bash-completion/completions/holdfast"
  zsh -n "$root/usr/share/zsh/vendor-completions/_holdfast"
  fish --no-execute "$root/usr/share/fish/vendor_completions.d/holdfast.fish"
  # What is installed is what the installed command prints.
  cmp "$root/usr/share/bash-completion/completions/holdfast" <("$holdfast" completion bash)
  # bash-completion finds it by the command's name.
  local answer
  # shellcheck disable=SC2016
  answer=$(BASH_COMPLETION_USER_DIR=/nonexistent XDG_DATA_DIRS=$root/usr/share PATH=$root/usr/bin:$PATH \
    bash --norc -c 'source /usr/share/bash-completion/bash_completion; _completion_loader holdfast
      COMP_WORDS=(holdfast ver) COMP_CWORD=1 COMP_LINE="holdfast ver" COMP_POINT=12; _holdfast; echo "${COMPREPLY[*]}"' 2>&1)
  [[ $answer == *version* ]] || fail "bash-completion says: $answer"
}

case_cmake() {
  local kind
  for kind in STATIC SHARED; do
    local shared=OFF
    if [[ $kind == SHARED ]]; then shared=ON; fi
    rm -rf "$WORK/cmake_$kind"
    "$CMAKE" -S "$SOURCE/tests/consume/installed" -B "$WORK/cmake_$kind" -G Ninja -D "CMAKE_CXX_COMPILER=$CXX" \
      -D "CMAKE_PREFIX_PATH=$root/usr" -D "BUILD_SHARED_LIBS=$shared" -D "EXPECTED_TYPE=${kind}_LIBRARY"
    "$CMAKE" --build "$WORK/cmake_$kind"
    has "$("$WORK/cmake_$kind/consumer")" "redis://127.0.0.1:1"
  done
}

case_pkgconfig() {
  local -a flags
  read -ra flags <<<"$(PKG_CONFIG_PATH=$root/usr/$LIBDIR/pkgconfig pkg-config --cflags --libs holdfast)"
  "$CXX" -std=c++20 "$SOURCE/tests/consume/installed/main.cpp" "${flags[@]}" -o "$WORK/pkgconfig"
  has "$(LD_LIBRARY_PATH=$root/usr/$LIBDIR "$WORK/pkgconfig")" "redis://127.0.0.1:1"
}

case_remove() {
  if ((EUID != 0)); then return 0; fi
  dpkg_here --purge holdfast
  [[ ! -e $root/usr ]] || fail "left behind: $(find "$root/usr" | head -20)"
}

if (($# != 1)) || ! declare -F "case_$1" >/dev/null; then fail "no such case: $*"; fi
"case_$1"
