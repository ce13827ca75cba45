// Geometry of one result on the graphics card. Vertices are split along creases once, so that edges of boxes stay sharp while
// round parts are shaded smoothly.

import * as THREE from "three";
import { colourValues, OBSTACLE, PALETTE, type Range } from "./colour";
import type { Frame, Topology } from "./recording";

/** Cosine of the angle between normals from which an edge is drawn sharp (40°). */
const CREASE = 0.766;
/** Share of the colour of a field that does not depend on the light. */
const FIELD_GLOW = 0.3;
/** Number of springs up to which they are drawn as rods. */
const MAX_RODS = 4000;

function faceNormals(positions: Float32Array, triangles: Uint32Array): Float32Array {
  const normals = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx, size = Math.hypot(x, y, z) || 1;
    normals[t] = x / size;
    normals[t + 1] = y / size;
    normals[t + 2] = z / size;
  }
  return normals;
}

/** Splits vertices at creases. Returns the vertex of each drawn vertex, and the triangles by drawn vertices. */
export function splitCreases(positions: Float32Array, triangles: Uint32Array): { map: Uint32Array; index: Uint32Array } {
  const normals = faceNormals(positions, triangles), index = new Uint32Array(triangles.length);
  const groups = new Map<number, { normal: [number, number, number]; id: number }[]>(), map: number[] = [];
  for (let corner = 0; corner < triangles.length; corner++) {
    const t = corner - (corner % 3), [x, y, z] = [normals[t], normals[t + 1], normals[t + 2]], vertex = triangles[corner];
    let list = groups.get(vertex);
    if (!list) groups.set(vertex, (list = []));
    let group = list.find(({ normal: [a, b, c] }) => a * x + b * y + c * z > CREASE);
    if (!group) {
      list.push((group = { normal: [x, y, z], id: map.length }));
      map.push(vertex);
    }
    index[corner] = group.id;
  }
  return { map: Uint32Array.from(map), index };
}

/** Sums area-weighted normals of triangles at their vertices; the shader normalises them. */
function addNormals(positions: Float32Array, index: Uint32Array, normals: Float32Array) {
  normals.fill(0);
  for (let t = 0; t < index.length; t += 3) {
    const a = 3 * index[t], b = 3 * index[t + 1], c = 3 * index[t + 2];
    const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    normals[a] += x; normals[a + 1] += y; normals[a + 2] += z;
    normals[b] += x; normals[b + 1] += y; normals[b + 2] += z;
    normals[c] += x; normals[c + 1] += y; normals[c + 2] += z;
  }
}

function uniqueEdges(triangles: Uint32Array, vertices: number): Uint32Array {
  const seen = new Set<number>(), edges: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const a = triangles[t + k], b = triangles[t + ((k + 1) % 3)], key = Math.min(a, b) * vertices + Math.max(a, b);
      if (seen.has(key)) continue;
      seen.add(key);
      edges.push(a, b);
    }
  }
  return Uint32Array.from(edges);
}

/** Writes the positions of drawn vertices, which are copies of vertices by `map`. */
function gather(from: Float32Array, map: Uint32Array, positions: Float32Array) {
  for (let i = 0, j = 0; i < map.length; i++, j += 3) {
    const k = 3 * map[i];
    positions[j] = from[k];
    positions[j + 1] = from[k + 1];
    positions[j + 2] = from[k + 2];
  }
}

/** Moves an obstacle. */
function placeObstacle(mesh: THREE.Mesh, points: Float32Array) {
  const { position, normal } = mesh.geometry.attributes as Record<string, THREE.BufferAttribute>;
  gather(points, mesh.userData.map, position.array as Float32Array);
  addNormals(position.array as Float32Array, mesh.geometry.index!.array as Uint32Array, normal.array as Float32Array);
  position.needsUpdate = normal.needsUpdate = true;
}

/** The bodies, springs, particles and obstacles of one result, as objects of a three.js scene. */
export class Surface {
  readonly group = new THREE.Group();
  readonly mesh: THREE.Mesh;
  private readonly geometry = new THREE.BufferGeometry();
  private readonly map: Uint32Array;
  private readonly positions: Float32Array;
  private readonly normals: Float32Array;
  private readonly colours: Float32Array;
  private readonly bodyColours: Float32Array;
  private readonly index: Uint32Array;
  private edges?: THREE.LineSegments;
  private readonly rods?: THREE.InstancedMesh;
  private readonly strands?: THREE.LineSegments;
  private readonly balls?: THREE.InstancedMesh;
  private readonly obstacles: THREE.Mesh[] = [];
  private readonly glow = { value: 0 };
  private latest: Float32Array;

  constructor(readonly topology: Topology, first: Float32Array, private readonly size: number, colour?: string) {
    const { map, index } = splitCreases(first, topology.triangles);
    this.map = map;
    this.index = index;
    this.latest = first;
    this.positions = new Float32Array(3 * map.length);
    this.normals = new Float32Array(3 * map.length);
    this.bodyColours = new Float32Array(3 * map.length);
    const ink = new THREE.Color();
    for (let corner = 0; corner < index.length; corner++) {
      ink.set(colour ?? PALETTE[topology.bodies[Math.floor(corner / 3)] % PALETTE.length]);
      ink.toArray(this.bodyColours, 3 * index[corner]);
    }
    this.colours = this.bodyColours.slice();
    const attribute = (array: Float32Array) => new THREE.BufferAttribute(array, 3).setUsage(THREE.DynamicDrawUsage);
    this.geometry.setAttribute("position", attribute(this.positions));
    this.geometry.setAttribute("normal", attribute(this.normals));
    this.geometry.setAttribute("color", attribute(this.colours));
    this.geometry.setIndex(new THREE.BufferAttribute(index, 1));
    const material = new THREE.MeshStandardMaterial({
      vertexColors: true, side: THREE.DoubleSide, roughness: 0.55, metalness: 0.02, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
    });
    // Colours of fields glow a little, so that dark ones are told apart in the shade too.
    material.onBeforeCompile = (shader) => {
      shader.uniforms.glow = this.glow;
      shader.fragmentShader = `uniform float glow;\n${shader.fragmentShader}`.replace(
        "#include <emissivemap_fragment>", "totalEmissiveRadiance += glow * diffuseColor.rgb;");
    };
    this.mesh = new THREE.Mesh(this.geometry, material);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.group.add(this.mesh);
    const count = topology.lines.length / 2;
    if (count > 0 && count <= MAX_RODS) {
      const rod = new THREE.CylinderGeometry(0.006 * size, 0.006 * size, 1, 8);
      this.rods = this.instances(rod, count, PALETTE[1]);
    } else if (count > 0) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", attribute(new Float32Array(3 * topology.lines.length)));
      this.strands = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: PALETTE[1] }));
      this.strands.frustumCulled = false;
      this.group.add(this.strands);
    }
    if (topology.particles.length > 0) {
      const ball = new THREE.SphereGeometry(0.024 * size, 24, 16);
      this.balls = this.instances(ball, topology.particles.length, colour ?? PALETTE[0]);
    }
    for (const obstacle of topology.obstacles) this.addObstacle(obstacle);
    this.update({ t: 0, positions: first }, null, [0, 1]);
  }

  private instances(geometry: THREE.BufferGeometry, count: number, colour: string): THREE.InstancedMesh {
    const material = new THREE.MeshStandardMaterial({ color: colour, roughness: 0.5 });
    const mesh = new THREE.InstancedMesh(geometry, material, count);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    this.group.add(mesh);
    return mesh;
  }

  private addObstacle(obstacle: Topology["obstacles"][number]) {
    const { map, index } = splitCreases(obstacle.points, obstacle.triangles), geometry = new THREE.BufferGeometry();
    for (const name of ["position", "normal"]) geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * map.length), 3));
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    const material = new THREE.MeshStandardMaterial({
      color: OBSTACLE.light, roughness: 0.85, side: THREE.DoubleSide, transparent: obstacle.plane, opacity: obstacle.plane ? 0.35 : 1,
      depthWrite: !obstacle.plane,
    });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.castShadow = !obstacle.plane;
    mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    // The ground is drawn by the stage.
    mesh.visible = obstacle.floor === null;
    mesh.userData = { ground: obstacle.floor !== null, map, points: obstacle.points.length };
    placeObstacle(mesh, obstacle.points);
    this.obstacles.push(mesh);
    this.group.add(mesh);
  }

  /** Moves everything to a frame, and colours it by values at the vertices, or by body. */
  update(frame: Frame, values: ArrayLike<number> | null, range: Range) {
    const { map, positions } = this, from = frame.positions;
    this.latest = from;
    gather(from, map, positions);
    addNormals(positions, this.index, this.normals);
    this.glow.value = values ? FIELD_GLOW : 0;
    if (values) colourValues(values, range, map, this.colours);
    else this.colours.set(this.bodyColours);
    for (const name of ["position", "normal", "color"]) this.geometry.attributes[name].needsUpdate = true;
    this.updateInstances(from);
    if (frame.obstacles) this.moveObstacles(frame.obstacles);
  }

  private updateInstances(from: Float32Array) {
    const { lines, particles } = this.topology;
    const point = (v: number) => new THREE.Vector3(from[3 * v], from[3 * v + 1], from[3 * v + 2]);
    const matrix = new THREE.Matrix4(), up = new THREE.Vector3(0, 1, 0);
    for (let k = 0; this.rods && k < lines.length / 2; k++) {
      const a = point(lines[2 * k]), b = point(lines[2 * k + 1]), along = b.clone().sub(a), length = along.length() || 1e-12;
      const turn = new THREE.Quaternion().setFromUnitVectors(up, along.divideScalar(length));
      matrix.compose(a.add(b).multiplyScalar(0.5), turn, new THREE.Vector3(1, length, 1));
      this.rods.setMatrixAt(k, matrix);
    }
    if (this.rods) this.rods.instanceMatrix.needsUpdate = true;
    if (this.strands) {
      const attribute = this.strands.geometry.attributes.position as THREE.BufferAttribute, out = attribute.array;
      for (let k = 0; k < lines.length; k++) for (let c = 0; c < 3; c++) out[3 * k + c] = from[3 * lines[k] + c];
      attribute.needsUpdate = true;
    }
    for (let k = 0; this.balls && k < particles.length; k++) {
      this.balls.setMatrixAt(k, matrix.makeTranslation(point(particles[k])));
    }
    if (this.balls) this.balls.instanceMatrix.needsUpdate = true;
  }

  private moveObstacles(points: Float32Array) {
    let at = 0;
    for (const mesh of this.obstacles) {
      placeObstacle(mesh, points.subarray(at, at + mesh.userData.points));
      at += mesh.userData.points;
    }
  }

  /** Colours the obstacles for a light or a dark page. */
  setTheme(theme: "light" | "dark") {
    for (const mesh of this.obstacles) (mesh.material as THREE.MeshStandardMaterial).color.set(OBSTACLE[theme]);
  }

  showObstacles(on: boolean) {
    for (const mesh of this.obstacles) mesh.visible = on && !mesh.userData.ground;
  }

  showEdges(on: boolean) {
    if (on && !this.edges) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", this.geometry.attributes.position);
      geometry.setIndex(new THREE.BufferAttribute(uniqueEdges(this.index, this.map.length), 1));
      const material = new THREE.LineBasicMaterial({ color: "#0b1016", transparent: true, opacity: 0.55 });
      this.edges = new THREE.LineSegments(geometry, material);
      this.edges.frustumCulled = false;
      this.group.add(this.edges);
    }
    if (this.edges) this.edges.visible = on;
    // Pushed back, slanted faces would fall behind the inner faces of bodies that are drawn cell by cell.
    (this.mesh.material as THREE.Material).polygonOffset = on;
  }

  /** Returns the vertex under a ray and its position: a corner of the nearest triangle, or a particle. */
  pick(ray: THREE.Raycaster): { vertex: number; point: THREE.Vector3 } | null {
    this.geometry.computeBoundingSphere();
    const targets: THREE.Object3D[] = this.balls ? [this.mesh, this.balls] : [this.mesh];
    this.balls?.computeBoundingSphere();
    const hit = ray.intersectObjects(targets, false)[0];
    if (!hit) return null;
    const at = (v: number) => new THREE.Vector3(this.latest[3 * v], this.latest[3 * v + 1], this.latest[3 * v + 2]);
    if (hit.object === this.balls) {
      const vertex = this.topology.particles[hit.instanceId ?? 0];
      return { vertex, point: at(vertex) };
    }
    const corners = [hit.face!.a, hit.face!.b, hit.face!.c].map((v) => this.map[v]);
    corners.sort((a, b) => at(a).distanceToSquared(hit.point) - at(b).distanceToSquared(hit.point));
    return { vertex: corners[0], point: at(corners[0]) };
  }

  /** Returns the current position of a vertex. */
  position(vertex: number): THREE.Vector3 {
    return new THREE.Vector3(this.latest[3 * vertex], this.latest[3 * vertex + 1], this.latest[3 * vertex + 2]);
  }
}
