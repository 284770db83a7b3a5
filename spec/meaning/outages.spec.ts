import { makeOutageLog } from '../../lib/http/errors'
import { letPass } from '../support/clock'
import { keeping, type Logged } from '../support/hearing'

const unreachable = 'the database cannot be reached'
const reachable = 'the database can be reached again'

const open = () => {
  const { logger, lines } = keeping()
  const { failed, served } = makeOutageLog(logger)
  const failTimes = (times: number): void => {
    for (let time = 0; time < times; time += 1) failed('unreachable', { code: 'ECONNREFUSED' })
  }
  return { lines, failed, served, failTimes }
}

const begin = (times: number): Logged => ({
  facts: { times, reason: 'unreachable', code: 'ECONNREFUSED' },
  message: unreachable,
})
const end = (times: number, seconds: number): Logged => ({
  facts: { reason: 'unreachable', times, seconds },
  message: reachable,
})

describe('the log of an outage', () => {
  it('contains its beginning, a line a minute with the count since the last line, and its end with all', () => {
    const { lines, served, failTimes } = open()
    failTimes(164)
    expect(lines).toEqual([begin(1)])
    letPass(61)
    failTimes(2)
    expect(lines).toEqual([begin(1), begin(164)])
    letPass(4)
    served()
    letPass(4)
    served()
    expect(lines).toHaveLength(2)
    letPass(1)
    served()
    served()
    expect(lines).toEqual([begin(1), begin(164), end(166, 65)])
  })

  it('contains a new outage a few seconds later, with counts of its own', () => {
    const { lines, served, failTimes } = open()
    for (const times of [164, 2]) {
      failTimes(times)
      letPass(2)
      served()
      letPass(5)
      served()
    }
    expect(lines).toEqual([begin(1), end(164, 2), begin(1), end(2, 2)])
  })

  it('contains one outage while some reads succeed and others fail', () => {
    const { lines, served, failTimes } = open()
    for (let time = 0; time < 40; time += 1) {
      failTimes(2)
      letPass(0.1)
      served()
    }
    expect(lines).toEqual([begin(1)])
    letPass(6)
    served()
    expect(lines).toEqual([begin(1), end(80, 4)])
  })

  it('separates outages between which few reads came', () => {
    const { lines, served, failTimes } = open()
    failTimes(3)
    letPass(1)
    served()
    letPass(3600)
    failTimes(1)
    expect(lines).toEqual([begin(1), end(3, 1), begin(1)])
  })

  it('continues an outage without a read', () => {
    const { lines, failTimes } = open()
    failTimes(3)
    letPass(3600)
    failTimes(1)
    expect(lines).toEqual([begin(1), begin(3)])
  })
})

describe('the log of other 503s', () => {
  it('contains the end after a minute without one, for each reason by itself', () => {
    const { lines, failed, served } = open()
    for (let time = 0; time < 400; time += 1) failed('timeout')
    letPass(8)
    served()
    letPass(30)
    failed('queue')
    served()
    expect(lines.map(({ facts, message }) => [facts['reason'], facts['times'], message])).toEqual([
      ['timeout', 1, 'requests get a 503'],
      ['queue', 1, 'requests get a 503'],
    ])
    letPass(31)
    served()
    expect(lines.slice(2)).toEqual([
      {
        facts: { reason: 'timeout', times: 400, seconds: 8 },
        message: 'requests no longer get a 503 with this reason',
      },
    ])
    letPass(30)
    served()
    expect(lines.slice(3).map(({ facts }) => facts)).toEqual([{ reason: 'queue', times: 1, seconds: 0 }])
  })
})
