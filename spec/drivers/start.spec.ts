import { describeOn, testDatabase } from '../support/databases'
import { projectFolder } from '../support/project-folder'
import { ended, started } from '../support/started'
import { dotEnvFor, projectsIn } from '../support/strapi-folder'

describeOn(['mariadb', 'mysql', 'postgres'])(
  'content-router start on a project with a database on %s',
  (name) => {
    const world = testDatabase(name).restored()
    const { path } = projectFolder()
    const project = projectsIn(path)

    it('reports a wrong password', async () => {
      const given = dotEnvFor(world.config).replace(/^DATABASE_(USERNAME)=.*$/gm, 'DATABASE_$1=nobody')
      const { code, said } = await ended([], { cwd: project('locked', { '.env': given }) })
      expect(code).toBe(1)
      expect(said).toMatch(
        /the server rejects the user or the password\.\nCheck the user and the password in \.env/,
      )
    })

    it('reports a missing database', async () => {
      const given = dotEnvFor(world.config).replace(/^DATABASE_NAME=.*$/gm, 'DATABASE_NAME=nowhere')
      const { code, said } = await ended([], { cwd: project('nowhere', { '.env': given }) })
      expect(code).toBe(1)
      expect(said).toMatch(
        /not have the configured database.*\.\nCheck the name of the database in \.env\. Or create the database/,
      )
    })

    it('prefers --connection', async () => {
      const { host, port, user, password, database } = world.config.connection as Record<
        string,
        string | number
      >
      const scheme = name === 'postgres' ? 'postgres' : 'mysql'
      const login = [user, password].map((part) => encodeURIComponent(String(part))).join(':')
      const url = `${scheme}://${login}@${String(host)}:${String(port)}/${String(database)}`
      const site = await started(['--connection', url], { cwd: project('named') })
      try {
        expect(site.said()).toContain(`database ${String(database)} at`)
        expect((await fetch(`${site.at}/api/articles`)).status).toBe(200)
      } finally {
        await site.stop()
      }
    })
  },
)
