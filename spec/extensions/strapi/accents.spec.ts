import { strapi5 } from '../../../extensions/strapi'
import { contentRouter } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { collection, component, integer, picture, relation, repeated, text } from '../../support/library'
import { stocked } from '../../support/served'

const types = [
  collection('curso', {
    año: integer,
    año_escolar: text,
    'número-2': text,
    имя: text,
    niños: relation('manyToMany', 'api::nino.nino', { inversedBy: 'cursos' }),
    tutoría: { ...relation('manyToOne', 'api::nino.nino'), useJoinTable: false },
    imágen: picture,
    días: repeated('partes.dia'),
    sección: { type: 'dynamiczone', components: ['partes.dia', 'partes.señal'] },
    // Strapi cuts after taking accents off.
    [`añoÑandú${'é'.repeat(60)}`]: text,
  }),
  {
    ...collection('nino', {
      name: text,
      cursos: relation('manyToMany', 'api::curso.curso', { mappedBy: 'niños' }),
      dias: repeated('partes.dia'),
      amigos: relation('manyToMany', 'api::nino.nino'),
    }),
    collectionName: 'Niños_de_Имя',
  },
  { ...collection('odd', { name: text }), collectionName: '_2-años' },
  component('partes.dia', { fecha_día: text }),
  { ...component('partes.señal', { aviso: text }), collectionName: 'components_partes_señales' },
] as unknown as Parameters<typeof stocked>[1]

const long = `añoÑandú${'é'.repeat(60)}`

onSqlite((database) => {
  const { serve, world } = stocked(database, types, {
    nino: [
      { $ref: 'ana', name: 'Ana' },
      { $ref: 'leo', name: 'Leo', amigos: ['ana'], dias: [{ fecha_día: 'lunes' }] },
    ],
    odd: [{ name: 'Odd' }],
    curso: [
      {
        ...{ año: 2024, año_escolar: 'segundo', 'número-2': 'dos', имя: 'Год', [long]: 'largo' },
        ...{ niños: ['leo', 'ana'], tutoría: 'ana', imágen: { name: 'a.png' } },
        ...{
          días: [{ fecha_día: 'lunes' }],
          sección: [
            { __component: 'partes.dia', fecha_día: 'martes' },
            { __component: 'partes.señal', aviso: 'alto' },
          ],
        },
      },
      { año: 2023 },
    ],
  })
  const served = () => serve({ extensions: [strapi5()] })

  it('asks for components of such names in a zone', async () => {
    const [entry] = await served().list('cursos?populate[sección][on][partes.señal]=true&sort=año:desc')
    expect(entry).toMatchObject({ sección: [{ __component: 'partes.señal', aviso: 'alto' }] })
  })

  it('stores attributes under names without accents, and answers with those that are written', async () => {
    const [entry] = await served().list('cursos?populate=*&sort=año:desc')
    expect(entry).toMatchObject({
      ...{ año: 2024, año_escolar: 'segundo', 'número-2': 'dos', имя: 'Год', [long]: 'largo' },
      ...{ niños: [{ name: 'Leo' }, { name: 'Ana' }], tutoría: { name: 'Ana' }, imágen: { name: 'a.png' } },
      ...{
        días: [{ fecha_día: 'lunes' }],
        sección: [{ fecha_día: 'martes' }, { __component: 'partes.señal', aviso: 'alto' }],
      },
    })
    const { knex } = world
    expect(await knex.schema.hasTable('cursos_ninos_lnk')).toBe(true)
    for (const column of ['ano', 'ano_escolar', 'numero_2', 'имя', 'tutoria_id'])
      expect([column, await knex.schema.hasColumn('cursos', column)]).toEqual([column, true])
  })

  it('names tables as they are written, and those of links as Strapi does', async () => {
    for (const table of ['Niños_de_Имя', 'Niños_de_Имя_cmps', 'ninos_de_имя_amigos_lnk', '_2-años'])
      expect([table, await world.knex.schema.hasTable(table)]).toEqual([table, true])
    const [leo] = await served().list('ninos?filters[amigos][name]=Ana&populate=*&sort=cursos.año')
    expect(leo).toMatchObject({ name: 'Leo', amigos: [{ name: 'Ana' }], dias: [{ fecha_día: 'lunes' }] })
    expect(await served().values('odds', 'name')).toEqual(['Odd'])
    const content = world.closing(
      contentRouter({ extensions: [strapi5()], contentTypes: types, database: world.config, logger: false }),
    )
    await content.ready()
  })

  it.each([
    'filters[año][$gt]=2023',
    `filters[${encodeURIComponent('имя')}]=${encodeURIComponent('Год')}`,
    'filters[niños][name]=Ana',
    'filters[días][fecha_día]=lunes&sort=tutoría.name',
    'fields=año,número-2&filters[número-2][$notNull]=true',
  ])('finds by them: %s', async (query) => {
    const path = `cursos?${encodeURI(decodeURIComponent(query))}`
    expect(await served().values(path, 'año')).toEqual([2024])
  })

  it('finds the other side of what is stored so', async () => {
    const names = await served().values('ninos?filters[cursos][año]=2024&sort=name', 'name')
    expect(names).toEqual(['Ana', 'Leo'])
  })
})
