import { violation } from './violation.mjs';

/** I7: what is not orange's is what it was. */
export async function checkForeign({ foreign }) {
  const now = await foreign.look();
  return Object.entries(foreign.before)
    .filter(([what, before]) => now[what] !== before)
    .map(([what, before]) => violation('I7', what, `was\n${before}\nis\n${now[what]}`));
}
