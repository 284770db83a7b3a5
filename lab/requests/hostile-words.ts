import { type Chance, happens, pick } from './chance'
import { prototypeNames, text, textFor } from './hostile-texts'
import { allOperators, operatorsFor } from './operators'
import type { Words } from './speaker'
import type { Vocabulary } from './vocabulary'

const hidden = [
  ...[
    'secret',
    'internalNote',
    'apiKey',
    'notes',
    'password',
    'resetPasswordToken',
    'createdBy',
    'updatedBy',
  ],
  ...['owners', 'account', 'related'],
]

const noOperators = ['$nope', '$raw', '$and', '$or', '$not']

/** Names of all types, whichever is asked for. */
const namesOf = (types: Vocabulary): readonly string[] =>
  [...types.values()].flatMap((type) => [...type.scalars, ...type.links].map(({ name }) => name))

/** Now and then nothing that fits: names of other types or of no type, operators of other attributes, any text as a value. */
export function hostileWords(chance: Chance, types: Vocabulary): Words {
  const strays = [namesOf(types), hidden, prototypeNames]
  const stray = (): string => (happens(chance, 20) ? text(chance) : pick(chance, pick(chance, strays)))
  return {
    name: (fitting) => (happens(chance, 2) ? stray() : fitting),
    operators: (kind) => {
      if (happens(chance, 90)) return operatorsFor(kind)
      return [...allOperators, ...noOperators, text(chance)]
    },
    operand: (_type, { kind }) => textFor(chance, kind),
    crowd: 40,
    repeatedKeys: 900,
    hasInnerPages: true,
    beyondStrapi: true,
  }
}
