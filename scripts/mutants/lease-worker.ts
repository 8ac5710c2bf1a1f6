/** A process that judges mutants of leases, bonds, handovers and admission, one after the other, for `npm run mutants -- lease`. */
import { ALL_MUTANTS, fateOf } from './lease-mutants.ts'

process.on('message', (index: number) => {
  void fateOf(ALL_MUTANTS[index]).then((fate) => process.send!({ index, fate }))
})
