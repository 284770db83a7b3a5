import { makePreparing } from '../../lib/load/preparing'

describe('which statements are kept prepared', () => {
  it('are those of texts that come often enough, by a name that only the text decides', () => {
    const [one, other] = [makePreparing({ from: 3 }), makePreparing({ from: 1 })]
    expect([one('select 1'), one('select 1'), one('select 2')]).toEqual([undefined, undefined, undefined])
    const name = one('select 1')
    expect(name).toMatch(/^content_router_[0-9a-f]{40}$/)
    expect([one('select 1'), other('select 1')]).toEqual([name, name])
    expect(other('select 2')).not.toBe(name)
  })

  it('are no more than the server has room for', () => {
    const preparing = makePreparing({ from: 1 })
    const names = Array.from({ length: 1_500 }, (_, number) => preparing(`select ${String(number)}`))
    expect(names.filter((name) => name !== undefined)).toHaveLength(1_000)
    expect([preparing('select 0'), preparing('select 1499')]).toEqual([names[0], undefined])
  })

  it('are no longer together than the server has room for', () => {
    const preparing = makePreparing({ from: 1 })
    const texts = Array.from({ length: 30 }, (_, number) => `${String(number)}${'x'.repeat(100_000)}`)
    expect(texts.map(preparing).filter((name) => name !== undefined)).toHaveLength(19)
    expect(preparing('select 1')).toMatch(/^content_router_/)
  })

  it('are not remembered by texts that come once, however many and long these are', () => {
    const preparing = makePreparing({ from: 2 })
    const long = 'x'.repeat(10_000)
    preparing('select 1')
    for (let number = 0; number < 500; number += 1) preparing(`${String(number)}${long}`)
    expect(preparing('select 1')).toBeUndefined()
    expect(preparing('x'.repeat(5_000_000))).toBeUndefined()
    expect(preparing('x'.repeat(5_000_000))).toBeUndefined()
  })
})
