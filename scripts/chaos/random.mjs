/** Numbers that look random and are the same for the same seed (mulberry32). */
export function randomFrom(seed) {
  let state = hash(String(seed));
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count) => Math.floor(next() * count);
  return {
    next,
    below,
    chance: (odds) => next() < odds,
    pick: (list) => list[below(list.length)],
    shuffle: (list) => {
      const mixed = [...list];
      for (let last = mixed.length - 1; last > 0; last -= 1) {
        const other = below(last + 1);
        [mixed[last], mixed[other]] = [mixed[other], mixed[last]];
      }
      return mixed;
    },
  };
}

function hash(text) {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ character.codePointAt(0), 0x01000193);
  return value >>> 0;
}
