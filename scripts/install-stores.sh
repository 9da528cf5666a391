#!/bin/sh
# Installs what the tests and demonstrations start: Redis (server, sentinel,
# command line), ZooKeeper (the distribution's and a newer one), a JDK and Maven
# for the Java peers. Safe to run again.
#
#   scripts/install-stores.sh           install what is missing
#   scripts/install-stores.sh --check   install nothing, say what is missing
#
# The tests start their own servers on free ports. So no service of the
# distribution is started here, and one that is already running is left alone.
set -eu

check=no
for arg in "$@"; do
	case $arg in
	--check) check=yes ;;
	*)
		echo "usage: $0 [--check]" >&2
		exit 2
		;;
	esac
done

# The ZooKeeper that comes from Maven, in the folder where the launcher
# (internal/stores) looks for it and would put it itself.
version=3.9.5
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}
if [ "$(uname)" = Darwin ]; then cache=$HOME/Library/Caches; fi
jars=$cache/holdfast/zookeeper-$version

# found FILE-OR-COMMAND...: one of them is there.
found() {
	for f in "$@"; do
		case $f in
		/*) if [ -e "$f" ]; then return 0; fi ;;
		*) if command -v "$f" >/dev/null 2>&1; then return 0; fi ;;
		esac
	done
	return 1
}

missing=''  # for a person
packages='' # for apt-get
services='' # that came with a package of ours and must not start

# need PACKAGE SERVICE NAME...: any one of the names will do.
need() {
	package=$1
	service=$2
	shift 2
	if found "$@"; then return 0; fi
	missing="$missing $1"
	packages="$packages $package"
	if [ "$service" != - ]; then services="$services $service"; fi
}

look() {
	missing='' packages='' services=''
	need redis-server redis-server redis-server valkey-server
	need redis-tools - redis-cli valkey-cli
	need redis-sentinel redis-sentinel redis-sentinel valkey-sentinel
	need default-jdk-headless - javac
	need maven - mvn
	need zookeeper - /usr/share/java/zookeeper.jar
}

# fetch fills another folder, which then takes the name, so that what has the
# name is complete.
fetch() {
	pom=$(dirname "$0")/../internal/stores/zookeeper.pom.xml
	mkdir -p "$cache/holdfast"
	part=$(mktemp -d "$cache/holdfast/part-XXXXXX")
	if mvn -q -B -f "$pom" -Dzookeeper.version="$version" -DoutputDirectory="$part/jars" \
		dependency:copy-dependencies && { [ -e "$jars" ] || mv "$part/jars" "$jars"; }; then
		rm -rf "$part"
		return 0
	fi
	rm -rf "$part"
	echo "install-stores: could not fetch ZooKeeper $version with Maven" >&2
	return 1
}

look
if [ "$check" = yes ]; then
	if [ ! -e "$jars" ]; then missing="$missing $jars"; fi
	if [ -z "$missing" ]; then
		echo "install-stores: everything is there"
		exit 0
	fi
	echo "install-stores: missing:$missing" >&2
	exit 1
fi
if [ -z "$missing" ]; then
	if [ ! -e "$jars" ]; then fetch; fi
	echo "install-stores: everything is there"
	exit 0
fi
if ! found apt-get || [ "$(id -u)" != 0 ]; then
	echo "install-stores: missing:$missing" >&2
	echo "install-stores: on Debian or Ubuntu, as root: apt-get install$packages" >&2
	exit 1
fi

# A package asks policy-rc.d before it starts, restarts or stops its service;
# 101 is "no". Whatever policy was there comes back, also after an interrupted
# run, and one that says no already is not touched.
policy=/usr/sbin/policy-rc.d
saved=$policy.before-install-stores
mine='# written by install-stores.sh'

restore() {
	if [ -e "$policy" ] && grep -qF "$mine" "$policy"; then rm -f "$policy"; fi
	if [ -e "$saved" ] || [ -L "$saved" ]; then mv -f "$saved" "$policy"; fi
}

forbids() {
	code=0
	"$policy" redis-server start >/dev/null 2>&1 || code=$?
	[ "$code" = 101 ]
}

restore
trap restore EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
if [ ! -x "$policy" ] || ! forbids; then
	if [ -e "$policy" ] || [ -L "$policy" ]; then mv -f "$policy" "$saved"; fi
	printf '#!/bin/sh\n%s\nexit 101\n' "$mine" >"$policy"
	chmod 755 "$policy"
fi

DEBIAN_FRONTEND=noninteractive
export DEBIAN_FRONTEND
apt-get update -q
# shellcheck disable=SC2086 # a list of words
apt-get install -q -y --no-install-recommends $packages
restore

# Or the next boot would start what we have just kept from starting.
if found systemctl; then
	for s in $services; do
		systemctl disable "$s" >/dev/null 2>&1 || true
	done
fi

look
if [ -n "$missing" ]; then
	echo "install-stores: still missing:$missing" >&2
	exit 1
fi
if [ ! -e "$jars" ]; then fetch; fi
echo "install-stores: done"
