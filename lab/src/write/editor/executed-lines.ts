/** Marks the lines of the program that the shown step ran. */
import { RangeSetBuilder, StateEffect, StateField, type Extension } from '@codemirror/state'
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view'

export const showLines = StateEffect.define<readonly number[]>()
const executed = Decoration.line({ class: 'executed' })

export const executedLines: Extension = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let shown = marks.map(transaction.changes)
    for (const effect of transaction.effects) {
      if (!effect.is(showLines)) continue
      const { doc } = transaction.state
      const builder = new RangeSetBuilder<Decoration>()
      const lines = [...new Set(effect.value)].filter((line) => line >= 1 && line <= doc.lines)
      for (const line of lines.sort((a, b) => a - b)) {
        const { from } = doc.line(line)
        builder.add(from, from, executed)
      }
      shown = builder.finish()
    }
    return shown
  },
  provide: (field) => EditorView.decorations.from(field),
})
