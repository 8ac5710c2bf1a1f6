/** A group without clocks, of the algorithm that ships or of a mutant, for tests of its configuration. */
export { SteppedGroup } from '../../scripts/mutants/stepped-group.ts'
