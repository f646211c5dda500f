import { readdirSync, readFileSync } from 'node:fs';
import { inCheckout } from './checkout.mjs';

/** The licence texts of all packages that have a file among a bundle's inputs, as their licences ask for. */
export function bundledLicences(inputs) {
  const folders = [...new Set(inputs.map(packageFolder).filter((folder) => folder !== null))];
  const notices = folders.toSorted((one, other) => one.localeCompare(other, 'en')).map(notice);
  return ['orange contains these packages.', ...notices].join(`\n\n${'-'.repeat(72)}\n\n`) + '\n';
}

function packageFolder(input) {
  const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
  return found?.[1] ?? null;
}

function notice(folder) {
  const { name, version, license } = JSON.parse(
    readFileSync(inCheckout(folder, 'package.json'), 'utf8'),
  );
  const file = readdirSync(inCheckout(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : readFileSync(inCheckout(folder, file), 'utf8');
  return [`${name} ${version} (${license ?? 'licence not stated'})`, text].join('\n\n').trim();
}
