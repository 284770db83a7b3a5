import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { encode, joinedBytes } from '../../lib/shape'
import { firstSeed, runs } from '../support/property-runs'

const texts = fc.array(
  fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    // Long ones, of letters that take one to four bytes.
    fc
      .tuple(fc.constantFrom('a', 'é', '…', '😀'), fc.integer({ min: 1, max: 300_000 }))
      .map(([letter, length]) => letter.repeat(length)),
  ),
  { maxLength: 12 },
)

async function encoded(parts: readonly string[]): Promise<Buffer> {
  const bytes = await encode(parts, () => setImmediate())
  const whole = joinedBytes(bytes)
  expect(whole).toHaveLength(bytes.length)
  return whole
}

describe('the bytes of a body', () => {
  it('are its texts in UTF-8', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (parts) => {
        expect((await encoded(parts)).equals(Buffer.from(parts.join('')))).toBe(true)
      }),
      { seed: firstSeed, numRuns: runs(200) },
    )
  })

  it('are of nobody else, whoever has the turn between', async () => {
    const letters = ['a', 'é', '…', '😀', 'z']
    const bodies = letters.map((letter) => Array.from({ length: 400 }, () => letter.repeat(3_000)))
    const found = await Promise.all(bodies.map(encoded))
    const ownAlone = found.map((bytes, index) => bytes.equals(Buffer.from(bodies[index]?.join('') ?? '')))
    expect(ownAlone).toEqual(letters.map(() => true))
  })

  it('are as many as one who stopped before left nothing of', async () => {
    const broken = function* (): Iterable<string> {
      yield 'secret'.repeat(2_000)
      throw new Error('broken')
    }
    await expect(encode(broken(), () => setImmediate())).rejects.toThrow('broken')
    expect((await encoded(['{"data":[]}'])).toString()).toBe('{"data":[]}')
  })
})
