import type { AskerOperand, Value } from '../plan'

/** Stands in the bindings of a statement for a value of whoever asks. */
export class OfAsker {
  constructor(
    readonly operand: AskerOperand,
    readonly bind: (value: Value) => unknown,
  ) {}
}

export const textOfAsker = (operand: AskerOperand): OfAsker => new OfAsker(operand, (value) => value)
