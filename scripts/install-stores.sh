#!/bin/sh
# Installs what the tests and demonstrations start: Redis (server, sentinel,
# command line), a JDK and Maven for the Java peers. Safe to run again.
#
#   scripts/install-stores.sh               install what is missing
#   scripts/install-stores.sh --zookeeper   ZooKeeper's server as well
#   scripts/install-stores.sh --check       install nothing, say what is missing
#
# The tests start their own servers on free ports. So no service of the
# distribution is started here, and one that is already running is left alone.
set -eu

zookeeper=no
check=no
for arg in "$@"; do
	case $arg in
	--zookeeper) zookeeper=yes ;;
	--check) check=yes ;;
	*)
		echo "usage: $0 [--zookeeper] [--check]" >&2
		exit 2
		;;
	esac
done

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
	if [ "$zookeeper" = yes ]; then
		need zookeeper - /usr/share/zookeeper/bin/zkServer.sh zkServer.sh
	fi
}

look
if [ -z "$missing" ]; then
	echo "install-stores: everything is there"
	exit 0
fi
if [ "$check" = yes ]; then
	echo "install-stores: missing:$missing" >&2
	exit 1
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
echo "install-stores: done"
