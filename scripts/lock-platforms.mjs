/**
 * Run after `npm install` on a machine whose registry lacks packages of other platforms: npm then leaves them out of
 * package-lock.json, and `npm ci` refuses that lock everywhere ("Missing: … from lock file"). This adds them by their exact
 * versions, so that the lock is valid on every platform. It adds nothing to a complete lock.
 */

import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const added = [];

for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const nested = `${path}/node_modules/${name}`;
    const top = `node_modules/${name}`;
    if (lock.packages[nested] || lock.packages[top] || !/^\d/.test(version)) continue;
    const platform = platformOf(name);
    if (!platform) continue;
    lock.packages[top] = { version, ...platform, ...(entry.dev && { dev: true }), optional: true };
    added.push(name);
  }
}

lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
if (added.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length > 0 ? `Added to the lock: ${added.join(', ')}` : 'The lock is whole.');

/** The platform in the name of a package: `@biomejs/cli-linux-arm64-musl`. */
function platformOf(name) {
  const os = /\b(android|darwin|freebsd|linux|openharmony|win32)\b/.exec(name)?.[1];
  const cpu = /\b(arm64|arm|x64|ia32|ppc64|riscv64|s390x|wasm32)\b/.exec(name)?.[1];
  if (!os || !cpu) return undefined;
  const libc = /\bmusl/.test(name) ? 'musl' : /\bgnu/.test(name) ? 'glibc' : undefined;
  return { cpu: [cpu], ...(os === 'linux' && libc && { libc: [libc] }), os: [os] };
}
