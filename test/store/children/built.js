/**
 * Loads a module of the built package. By its address, so that the sources can be checked before they are built.
 * @param {string} path
 * @returns {Promise<any>}
 */
export const built = (path) => import(new URL(`../../../dist/${path}`, import.meta.url).href)
