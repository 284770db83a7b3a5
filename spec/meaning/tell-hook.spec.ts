import { setTimeout as pause } from 'node:timers/promises'
import { tellHook } from '../../lib/changes/tell-hook'
import type { ContentChange } from '../../lib/config'
import { keeping } from '../support/hearing'
import { until } from '../support/told-changes'

const changeOf = (type: string): ContentChange => ({ types: [type], documents: [], tags: [type] })

describe('a hook that is told of changes', () => {
  it('is told again, with what came meanwhile, where it does not end', async () => {
    const { logger, warnings } = keeping()
    const heard: ContentChange['types'][] = []
    const hook = tellHook(
      ({ types }) => {
        heard.push(types)
        return heard.length === 1 ? new Promise(() => undefined) : undefined
      },
      logger,
      50,
    )
    hook.tell(changeOf('author'))
    hook.tell(changeOf('book'))
    await until(() => heard[1], 'it was not told again')
    hook.close()
    expect(heard).toEqual([['author'], ['author', 'book']])
    expect(warnings).toEqual(['onChange failed: it is called again with what is missing'])
  })

  it('is called once at a time, and once for each change that it takes in time', async () => {
    const { logger, warnings } = keeping()
    let running = 0
    const heard: ContentChange['types'][] = []
    const hook = tellHook(
      async ({ types }) => {
        running += 1
        heard.push(running === 1 ? types : ['at once'])
        await pause(20)
        running -= 1
      },
      logger,
      5000,
    )
    for (const type of ['author', 'book', 'genre']) hook.tell(changeOf(type))
    await until(() => heard[1], 'it was not told of the others')
    await pause(30)
    hook.close()
    expect(heard).toEqual([['author'], ['book', 'genre']])
    expect(warnings).toEqual([])
  })
})
