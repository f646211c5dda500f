const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/** The lock file with an entry for each optional package that some package of it names and it lacks. */
export function withPlatformPackages(lock) {
  const wanted = Object.values(lock.packages)
    .flatMap(({ optionalDependencies = {} }) => Object.entries(optionalDependencies))
    .filter(([name]) => lock.packages[`node_modules/${name}`] === undefined);
  const entries = Object.fromEntries(
    wanted.map(([name, version]) => [`node_modules/${name}`, platformEntry(name, version)]),
  );
  const all = Object.entries({ ...lock.packages, ...entries });
  const packages = Object.fromEntries(all.toSorted(([one], [other]) => compare(one, other)));
  return { lock: { ...lock, packages }, added: Object.keys(entries) };
}

// The name says for which machine it is: `@oxlint/binding-linux-arm64-musl`.
function platformEntry(name, version) {
  const words = name.split(/[-/]/);
  const cpu = words.find((word) => PROCESSORS.includes(word));
  const os = words.find((word) => SYSTEMS.includes(word));
  if (cpu === undefined || !/^\d/.test(version)) {
    throw new Error(`${name}@${version} is not known as a package for one machine`);
  }
  return {
    version,
    cpu: [cpu],
    dev: true,
    ...(os === 'linux'
      ? { libc: [words.some((word) => word.startsWith('musl')) ? 'musl' : 'glibc'] }
      : {}),
    optional: true,
    ...(os === undefined ? {} : { os: [os] }),
  };
}

function compare(one, other) {
  if (one === other) return 0;
  return one.localeCompare(other, 'en') < 0 ? -1 : 1;
}
