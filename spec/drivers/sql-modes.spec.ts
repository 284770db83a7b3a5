import type { ContentRouterConfig } from '../../lib'
import { eachDatabase } from '../support/databases'
import { collection, text } from '../support/library'
import { probe, type Prober } from '../support/prober'
import { saying } from '../support/saying'
import { type Served, stocked } from '../support/served'

interface Card {
  readonly title: string
}

/** What a server may be set to that changes how the text of a statement is read. */
const modes = ['NO_BACKSLASH_ESCAPES', 'ANSI,NO_BACKSLASH_ESCAPES', 'ANSI_QUOTES,PIPES_AS_CONCAT']

/** Ends of a quoted text, in whatever way a server may take them, and what would show that they were one. */
const breakouts = [
  `'`,
  `\\'`,
  `\\\\'`,
  `''`,
  `"`,
  '`',
  `\\`,
  `¥'`,
  `%bf%27`,
  ...[`'`, `\\'`].flatMap((quote) => [
    `x${quote} or 1=1 -- `,
    `x${quote})) or 1=1 -- `,
    `x${quote} union select 1,2,3,4,5 -- `,
    `x${quote}; drop table cards; -- `,
  ]),
]

eachDatabase((database) => {
  const types = [collection('card', { title: text, hidden: { ...text, private: true } })]
  const contents = ['plain', ...breakouts]
  const { world, serve } = stocked(database, types as Parameters<typeof stocked>[1], {
    card: contents.map((title, index) => ({ title, hidden: `kept ${String(index)}` })),
  })

  const own = 'its own mode'

  const serveIn = (mode: string, options: Partial<ContentRouterConfig> = {}): Served => {
    if (mode === own) return serve(options)
    const afterCreate = saying(`set session sql_mode = '${mode}'`)
    return serve({ ...options, database: { ...world.config, pool: { min: 0, max: 2, afterCreate } } })
  }

  async function foundBy(asked: Prober, query: string): Promise<readonly string[]> {
    const { whole } = await asked.ask(`cards?${query}&pagination[pageSize]=100`, { role: 'public' })
    const { data } = JSON.parse(whole.slice(whole.lastIndexOf('\n') + 1)) as { data: readonly Card[] }
    return data.map(({ title }) => title)
  }

  describe.each(database.dialect === 'mysql' ? [own, ...modes] : [own])('in %s', (mode) => {
    let exact: Prober
    let loose: Prober

    beforeAll(async () => {
      exact = await probe(world, serveIn(mode))
      loose = await probe(world, serveIn(mode, { textMatching: 'database', strapiArtefacts: true }))
    })

    it.each(breakouts)('a value is only a value: %j', async (value) => {
      const said = encodeURIComponent(value)
      for (const query of [
        `filters[title][$in][0]=${said}&filters[title][$in][1]=${said}&sort=title`,
        `filters[title][$between][0]=${said}&filters[title][$between][1]=${said}&filters[$and][0][title][$endsWith]=${said}`,
      ]) {
        expect([query, await foundBy(exact, query)]).toEqual([query, [value]])
      }
      const search = `_q=${said}&filters[title][$containsi]=${said}`
      expect(await foundBy(exact, search)).toContain(value)
      const { status, whole } = await loose.ask(`cards?${search}`, { role: 'public' })
      expect([status, whole.includes('kept')]).toEqual([200, false])
      expect((await exact.ask(`cards/${said}`, { role: 'public' })).status).toBe(404)
    })

    it('nothing has become of the table', async () => {
      expect(await foundBy(exact, '')).toEqual(contents)
    })
  })
})
