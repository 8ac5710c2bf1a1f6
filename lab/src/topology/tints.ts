/** Gives each leader a colour, the same in topology, diagram and timeline, so that one can see who follows whom. Names are always shown too. */
/** None of them is the colour of a role, of a suspicion or of a broken promise. */
const TINTS = ['#0072b2', '#009e73', '#9573cf', '#b0763f', '#25a7b8', '#8a9a00', '#d0708f']

/** The colour of the member with so many stronger ones. */
export function tintOf(stronger: number): string {
  return TINTS[Math.max(0, stronger) % TINTS.length]
}

/** Text that can be read on the colour. */
export function onTint(tint: string): string {
  return tint === TINTS[0] ? '#ffffff' : '#10161c'
}
