import { ConfigError, type Logger } from '../../lib'
import { readSchema } from '../../lib/schema'
import { component, faultsOf, type } from './definitions'

const listing = (privateAttributes: unknown): ReturnType<typeof type> =>
  type('article', { title: { type: 'string' } }, { options: { privateAttributes } })

describe('a list of private attributes', () => {
  it('may name attributes, and what every content type has of itself', () => {
    const builtIn = [
      'createdAt',
      'updatedAt',
      'publishedAt',
      'locale',
      'localizations',
      'createdBy',
      'updatedBy',
    ]
    expect(faultsOf([listing(['title', ...builtIn])])).toEqual([])
  })

  it('is refused where it names what would be shown all the same', () => {
    expect(faultsOf([listing(['titel', 'id', 'documentId'])])).toEqual([
      {
        ...{ where: 'contentTypes[0]', pointer: '/options/privateAttributes/0' },
        ...{ problem: '"titel" is no attribute', remedy: 'did you mean title?' },
      },
      ...['id', 'documentId'].map((name, index) => ({
        ...{ where: 'contentTypes[0]', pointer: `/options/privateAttributes/${String(index + 1)}` },
        ...{ problem: `"${name}" cannot be private`, remedy: 'every entry shows it' },
      })),
    ])
  })

  it('of a component names its own alone', () => {
    const seo = component('shared.seo', { score: { type: 'string' } })
    const faults = faultsOf([{ ...seo, options: { privateAttributes: ['score', 'createdAt'] } }])
    expect(faults.map(({ pointer }) => pointer)).toEqual(['/options/privateAttributes/1'])
  })

  it.each([['title'], [[1]], [{ title: true }]])('is refused where it is none: %j', (list) => {
    expect(faultsOf([listing(list)])).toMatchObject([{ where: 'contentTypes[0]' }])
  })
})

describe('the list for all types', () => {
  const definitions = [listing([])]
  const read = (
    how: NonNullable<Parameters<typeof readSchema>[2]>,
  ): readonly (readonly [object, string])[] => {
    const told: [object, string][] = []
    const logger: Pick<Logger, 'warn'> = { warn: (facts, message) => told.push([facts, message]) }
    readSchema(definitions, logger, how)
    return told
  }

  it('may name what some type has', () => {
    expect(read({ privateAttributes: ['title', 'createdAt', 'folderPath'] })).toEqual([])
  })

  it('is refused where it names what none has', () => {
    const privateAttributes = ['title', 'creatdAt', 'id']
    expect(() => read({ privateAttributes })).toThrow(ConfigError)
    expect(() => read({ privateAttributes })).toThrow(/privateAttributes\[1\]: "creatdAt" is no attribute/)
    expect(() => read({ privateAttributes })).toThrow(/privateAttributes\[2\]: "id" cannot be private/)
  })

  it('costs a warning for each such name where definitions are read as Strapi does', () => {
    const message = 'What was to be private is no attribute: it hides nothing'
    expect(read({ privateAttributes: ['title', 'creatdAt'], definitions: 'strapi' })).toEqual([
      [
        {
          where: 'privateAttributes[1]',
          problem: '"creatdAt" is no attribute',
          remedy: 'did you mean createdAt?',
        },
        message,
      ],
    ])
  })
})
