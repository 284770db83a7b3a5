import { collection, integer, relation, text } from '../../support/library'

/** Orders with every type that an aggregate reads, and relations to one and to many. */
export const shopTypes = [
  collection('country', { name: text, orders: integer }),
  collection('customer', {
    name: text,
    secret: { type: 'string', private: true },
    country: relation('manyToOne', 'country'),
    orders: relation('oneToMany', 'order', { mappedBy: 'customer' }),
  }),
  collection('tag', { name: text, orders: relation('manyToMany', 'order', { mappedBy: 'tags' }) }),
  collection(
    'order',
    {
      number: text,
      quantity: integer,
      units: { type: 'biginteger' },
      total: { type: 'decimal' },
      weight: { type: 'float' },
      isPaid: { type: 'boolean' },
      state: { type: 'enumeration', enum: ['open', 'sent', 'returned'] },
      day: { type: 'date' },
      hour: { type: 'time' },
      placedAt: { type: 'datetime' },
      details: { type: 'json' },
      customer: relation('manyToOne', 'customer', { inversedBy: 'orders' }),
      tags: relation('manyToMany', 'tag', { inversedBy: 'orders' }),
    },
    { drafts: true },
  ),
]

export interface Order {
  readonly number: string
  readonly quantity: number | null
  readonly units: string | null
  readonly total: number | null
  readonly weight: number | null
  readonly isPaid: boolean | null
  readonly state: 'open' | 'sent' | 'returned'
  readonly day: string | null
  readonly placedAt: string | null
  readonly customer: string | null
  readonly tags: readonly string[]
}

export const countries = [{ $ref: 'fr', name: 'France' }, { $ref: 'no', name: 'Norway' }, { $ref: 'unnamed' }]

export const customers = [
  { $ref: 'ada', name: 'Ada', secret: 'x', country: 'fr' },
  { $ref: 'bob', name: 'bob', secret: 'y', country: 'no' },
  { $ref: 'eve', name: 'Ève', country: 'unnamed' },
  { $ref: 'zoe', name: 'ada' },
]

/** Two tags share a name. */
export const tags = [
  { $ref: 'red', name: 'red' },
  { $ref: 'crimson', name: 'red' },
  { $ref: 'blue', name: 'blue' },
]

/** Numbers that repeat in every run. */
function makeRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const day = 86_400_000

export function makeOrders(count: number): readonly Order[] {
  const random = makeRandom(7)
  const often = <T>(value: T): T | null => (random(9) === 0 ? null : value)
  return Array.from({ length: count }, (_, at): Order => {
    const placed = new Date(Date.UTC(2024, 11, 28) + random(70 * 24) * (day / 24))
    return {
      number: `n${String(at)}`,
      quantity: often(random(20) - 5),
      units: often(String(9_007_199_254_740_000n + BigInt(random(10_000)))),
      total: often(random(100_000) / 100),
      weight: often(random(64) / 4),
      isPaid: often(random(2) === 0),
      state: (['open', 'sent', 'returned'] as const)[random(3)] ?? 'open',
      day: often(placed.toISOString().slice(0, 10)),
      placedAt: often(placed.toISOString()),
      customer: often(['ada', 'bob', 'eve', 'zoe'][random(4)] ?? 'ada'),
      tags: ['red', 'crimson', 'blue'].filter(() => random(2) === 0),
    }
  })
}
