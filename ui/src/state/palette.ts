// Colours for groups: far apart for every eye, and of a lightness that has a contrast of three
// at least to the light and to the dark ground.

export const PALETTE: readonly { name: string; colour: number }[] = [
  { name: 'orange', colour: 0xc96a00ff },
  { name: 'blue', colour: 0x2f7fd1ff },
  { name: 'green', colour: 0x1f9254ff },
  { name: 'purple', colour: 0x8f5fd6ff },
  { name: 'red', colour: 0xd6454eff },
  { name: 'teal', colour: 0x0b8c98ff },
  { name: 'pink', colour: 0xcf4a97ff },
  { name: 'gold', colour: 0x9c7c00ff },
  { name: 'brown', colour: 0x9a6240ff },
  { name: 'grey', colour: 0x7d7d7dff },
];

/** The first colour that no group has, or the one that is used least. */
export function freeColour(used: readonly number[]): number {
  const times = (colour: number) => used.filter((u) => u === colour).length;
  let best = PALETTE[0].colour;
  for (const { colour } of PALETTE) if (times(colour) < times(best)) best = colour;
  return best;
}

export function toHex(colour: number): string {
  return `#${(colour >>> 8).toString(16).padStart(6, '0')}`;
}

export function fromHex(hex: string): number | undefined {
  const m = /^#?([0-9a-f]{6})$/i.exec(hex.trim());
  return m ? ((Number.parseInt(m[1], 16) << 8) | 0xff) >>> 0 : undefined;
}
