import { makeStop } from '../../lib/load'

describe('a reading that can be told to end', () => {
  it('hears of it, whether it listened before or listens afterwards', async () => {
    const early = makeStop(Infinity)
    const heard = expect(early.stopped).rejects.toMatchObject({ status: 503 })
    early.stop()
    await heard
    const late = makeStop(Infinity)
    late.stop()
    await expect(late.stopped).rejects.toMatchObject({ status: 503 })
    expect([early.isStopped(), late.isStopped()]).toEqual([true, true])
  })

  it('is told when its time is up', async () => {
    await expect(makeStop(1).stopped).rejects.toMatchObject({ status: 503 })
  })

  it('has nothing left to end once the answer is there', async () => {
    const one = makeStop(Infinity)
    one.finish()
    one.stop()
    expect(one.isStopped()).toBe(false)
    expect(await Promise.race([one.stopped, Promise.resolve('nothing')])).toBe('nothing')
  })
})
