// Comes in: the folders of a Strapi project. Goes out: what stands in its code, as far as that can be told by reading
// it. Refused: nothing; what cannot be told is said by name, and nothing of the project is ever run.
export { describeProjectCode, type ProjectCode, readProjectCode } from './project/project-code'
