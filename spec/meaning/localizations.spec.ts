import { onSqlite } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { type Entry, type Served, stocked } from '../support/served'

const types = [
  collection(
    'memo',
    { title: text, folder: relation('manyToOne', 'folder') },
    { drafts: true, localized: true },
  ),
  collection('folder', { name: text }),
] as unknown as Parameters<typeof stocked>[1]

/** Written in an order that is neither that of the codes nor its reverse. */
const others = { pt: 'd', fr: 'a', 'de-AT': 'b', de: 'c', zh: 'e' }
const byCode = ['de', 'de-AT', 'fr', 'pt', 'zh']

const content = {
  $locales: ['en', ...Object.keys(others)],
  folder: [{ $ref: 'blue', name: 'blue' }],
  memo: ['x', 'y'].map((title) => ({
    title,
    folder: 'blue',
    $locales: Object.fromEntries(Object.entries(others).map(([code, name]) => [code, { title: name }])),
  })),
}

onSqlite((database) => {
  const { serve } = stocked(database, types, content)
  let served: Served | undefined
  const api = (): Served => (served ??= serve({ localizations: 'flat', drafts: 'open' }))
  const shown = (entry: Entry | undefined, name = 'locale'): unknown[] =>
    (entry?.['localizations'] as Entry[]).map((other) => other[name])

  describe('the other languages of an entry', () => {
    it.each(['populate=localizations', 'populate=*', 'status=draft&populate=localizations'])(
      'stand in the order of their codes, however they were written: %s',
      async (query) => {
        const memos = await api().list(`memos?${query}`)
        expect(memos.map((memo) => shown(memo))).toEqual([byCode, byCode])
      },
    )

    it('do so where the code is not among the fields', async () => {
      const [memo] = await api().list('memos?populate[localizations][fields]=title')
      expect(shown(memo, 'title')).toEqual(['c', 'b', 'a', 'd', 'e'])
      expect(memo).not.toHaveProperty('localizations.0.locale')
    })

    it('do so where entries of the page are among them', async () => {
      const memos = await api().list(
        'memos?locale=*&filters[title][$in][]=d&filters[title][$in][]=c&populate=localizations',
      )
      expect(memos).toHaveLength(4)
      for (const memo of memos) {
        const rest = ['de', 'de-AT', 'en', 'fr', 'pt', 'zh'].filter((code) => code !== memo['locale'])
        expect(shown(memo)).toEqual(rest)
      }
    })

    it('do so further below', async () => {
      const [memo] = await api().list('memos?locale=fr&populate[localizations][populate]=localizations')
      const [first] = (memo?.['localizations'] ?? []) as Entry[]
      expect(shown(memo)).toEqual(['de', 'de-AT', 'en', 'pt', 'zh'])
      expect(shown(first)).toEqual(['de-AT', 'en', 'fr', 'pt', 'zh'])
    })

    it('stand in the order that is asked for', async () => {
      const [memo] = await api().list('memos?populate[localizations][sort]=title:desc')
      expect(shown(memo)).toEqual(['zh', 'pt', 'de', 'de-AT', 'fr'])
    })
  })
})
