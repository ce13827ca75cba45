// One canvas with one camera, divided into a pane for each result.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Topology } from "./recording";
import { Surface } from "./surface";

/** Distance from the middle of the view, as a share of its half size, from which the camera goes with bodies that move away. */
const AWAY = 0.45;

/** Darkness of shadows on the ground. */
const SHADOW = { light: 0.32, dark: 0.6 };

/** Box that contains all positions. */
export class Bounds {
  readonly box = new THREE.Box3();

  add(positions: ArrayLike<number>) {
    const p = new THREE.Vector3();
    for (let i = 0; i + 2 < positions.length; i += 3) {
      p.set(positions[i], positions[i + 1], positions[i + 2]);
      if (Number.isFinite(p.x + p.y + p.z)) this.box.expandByPoint(p);
    }
  }

  get centre(): THREE.Vector3 {
    return this.box.isEmpty() ? new THREE.Vector3() : this.box.getCenter(new THREE.Vector3());
  }

  /** Half of the lengths of the edges. */
  get half(): THREE.Vector3 {
    const half = this.box.isEmpty() ? new THREE.Vector3() : this.box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
    return half.lengthSq() > 0 ? half : half.set(0.5, 0.5, 0.5);
  }

  /** Length of the diagonal. */
  get size(): number {
    return this.box.isEmpty() ? 1 : this.box.getSize(new THREE.Vector3()).length() || 1;
  }
}

/** Rectangle of a pane in CSS pixels from the upper left corner of the canvas. */
export interface Rectangle { x: number; y: number; width: number; height: number }

/** Scene of one result: its surface, lights and ground. */
export class Pane {
  readonly scene = new THREE.Scene();
  readonly ground: THREE.Group;
  readonly extras = new THREE.Group();
  /** Lights that shine on the bodies wherever they are. */
  private readonly lights: THREE.DirectionalLight[];

  constructor(readonly surface: Surface, bounds: Bounds, topology: Topology, lowest: number) {
    const size = bounds.size, centre = bounds.centre;
    const sky = new THREE.HemisphereLight("#ffffff", "#8d99a8", 1.5);
    const sun = new THREE.DirectionalLight("#fff6e8", 2.4);
    sun.position.copy(centre).add(new THREE.Vector3(0.55, 1.3, 0.75).multiplyScalar(size));
    sun.target.position.copy(centre);
    sun.castShadow = true;
    sun.shadow.mapSize.set(1024, 1024);
    sun.shadow.bias = -0.0015;
    sun.shadow.normalBias = 0.01 * size;
    sun.shadow.radius = 5;
    const { left, right, top, bottom, near, far } = { left: -0.9, right: 0.9, top: 0.9, bottom: -0.9, near: 0.1, far: 4 };
    const shadow = { left, right, top, bottom, near, far };
    for (const [side, k] of Object.entries(shadow)) (sun.shadow.camera as any)[side] = k * size;
    const fill = new THREE.DirectionalLight("#dfeaff", 0.7);
    fill.position.copy(centre).add(new THREE.Vector3(-1, 0.4, -0.6).multiplyScalar(size));
    fill.target.position.copy(centre);
    this.lights = [sun, fill];
    this.ground = ground(topology, bounds, lowest);
    this.scene.add(sky, sun, sun.target, fill, fill.target, this.ground, surface.group, this.extras);
  }

  /** Colours obstacles and the shadow on the ground for the theme of the page. */
  setTheme(theme: "light" | "dark") {
    this.surface.setTheme(theme);
    this.ground.userData.shadow.opacity = SHADOW[theme];
  }

  /** Moves the lights and the ground with the bodies. */
  move(by: THREE.Vector3, centre: THREE.Vector3) {
    for (const light of this.lights) {
      light.position.add(by);
      light.target.position.add(by);
    }
    const { cell } = this.ground.userData;
    this.ground.position.setX(Math.round(centre.x / cell) * cell).setZ(Math.round(centre.z / cell) * cell);
  }
}

/** A plane with a grid that receives shadows, at the height of the floor, or below everything if there is none. */
function ground(topology: Topology, bounds: Bounds, lowest: number): THREE.Group {
  const size = bounds.size, floors = topology.obstacles.flatMap((o) => (o.floor === null ? [] : [o.floor]));
  const height = floors.length > 0 ? Math.max(...floors) : lowest - 0.002 * size;
  const group = new THREE.Group();
  const plane = new THREE.Mesh(new THREE.CircleGeometry(7 * size, 96), new THREE.ShadowMaterial({ opacity: SHADOW.light }));
  plane.rotation.x = -Math.PI / 2;
  plane.receiveShadow = true;
  const cell = 10 ** Math.round(Math.log10(size / 8)), count = 2 * Math.ceil((3 * size) / cell);
  const grid = new THREE.GridHelper(count * cell, count, "#7f8a97", "#7f8a97");
  fadeOut(grid.material as THREE.Material, 0.5 * count * cell);
  grid.position.y = 0.0004 * size;
  const centre = bounds.centre;
  group.position.set(Math.round(centre.x / cell) * cell, height, Math.round(centre.z / cell) * cell);
  group.add(plane, grid);
  group.userData = { cell, shadow: plane.material };
  return group;
}

/** Lets lines of a grid fade from its middle to a distance, where they are gone. */
function fadeOut(material: THREE.Material, distance: number) {
  material.transparent = true;
  material.opacity = 0.3;
  material.depthWrite = false;
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = `varying vec2 place;\n${shader.vertexShader}`.replace("#include <begin_vertex>", "#include <begin_vertex>\nplace = position.xz;");
    const fade = `gl_FragColor.a *= 1.0 - smoothstep(0.12, 0.95, length(place) / ${distance.toExponential(6)});`;
    shader.fragmentShader = `varying vec2 place;\n${shader.fragmentShader}`.replace("#include <opaque_fragment>", `#include <opaque_fragment>\n${fade}`);
  };
}

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
  readonly controls: OrbitControls;
  readonly panes: Pane[] = [];
  private bounds = new Bounds();
  /** Centre of the bodies, if the view follows them. */
  private centre: THREE.Vector3 | null = null;
  private dirty = true;
  /** Part of a pane's width or height that the whole view fills. */
  filled = 0.82;
  /** Called with the rectangles of the panes when they change. */
  onLayout: (rectangles: Rectangle[]) => void = () => {};

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.setScissorTest(true);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.invalidate());
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement ?? canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.retheme());
  }

  /** Shows these results. `positions` are their first frames, `bounds` contains all of them, bodies only for `lowest`. */
  setPanes(list: { topology: Topology; first: Float32Array; colour?: string }[], bounds: Bounds) {
    this.panes.length = 0;
    this.bounds = bounds;
    for (const { topology, first, colour } of list) {
      const surface = new Surface(topology, first, bounds.size, colour);
      this.panes.push(new Pane(surface, bounds, topology, bounds.box.min.y));
    }
    this.centre = null;
    this.retheme();
    this.home();
    this.resize();
  }

  /** Colours everything for the theme of the page. */
  retheme() {
    const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
    this.panes.forEach((pane) => pane.setTheme(dark ? "dark" : "light"));
    this.invalidate();
  }

  /** Follows bodies with this centre: the camera goes with them once they are away from the middle of the view, unless it is held. */
  follow(centre: THREE.Vector3, held: boolean) {
    if (!Number.isFinite(centre.lengthSq())) return;
    const by = this.centre ? centre.clone().sub(this.centre) : new THREE.Vector3();
    this.centre = centre;
    if (by.lengthSq() === 0) return;
    this.panes.forEach((pane) => pane.move(by, centre));
    const seen = centre.clone().project(this.camera);
    if (held || Math.max(Math.abs(seen.x), Math.abs(seen.y)) < AWAY) return;
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.controls.update();
  }

  /** Looks at everything within other bounds. */
  lookAt(bounds: Bounds) {
    this.bounds = bounds;
    this.home();
  }

  /** Looks at everything from the default direction. */
  home(direction = new THREE.Vector3(0.62, 0.42, 1)) {
    const away = direction.clone().normalize(), { target, distance } = this.framing(away);
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(away, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.invalidate();
  }

  /** Returns where to look, and from which distance, for the box of the bounds to fill a pane when it is seen from a direction. */
  private framing(away: THREE.Vector3): { target: THREE.Vector3; distance: number } {
    const pane = this.rectangles()[0], aspect = pane ? pane.width / Math.max(1, pane.height) : 1;
    const tall = this.filled * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)), wide = tall * aspect;
    const right = new THREE.Vector3(0, 1, 0).cross(away).normalize(), up = away.clone().cross(right);
    const half = this.bounds.half, target = this.bounds.centre;
    let distance = 0;
    // Nearer corners are seen wider, so the middle of the picture is not that of the box: it is found by a few corrections.
    for (let pass = 0; pass < 4; pass++) {
      const corners = [...Array(8).keys()].map((k) => {
        const corner = new THREE.Vector3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1).multiply(half).add(this.bounds.centre).sub(target);
        return [corner.dot(right), corner.dot(up), corner.dot(away)];
      });
      distance = Math.max(...corners.map(([x, y, z]) => z + Math.max(Math.abs(x) / wide, Math.abs(y) / tall)));
      for (const [axis, k] of [[right, 0], [up, 1]] as const) {
        const seen = corners.map((c) => c[k] / (distance - c[2]));
        target.addScaledVector(axis, 0.5 * distance * (Math.min(...seen) + Math.max(...seen)));
      }
    }
    return { target, distance };
  }

  /** Turns the camera about its target by angles, in radians. */
  orbit(azimuth: number, polar: number) {
    const offset = this.camera.position.clone().sub(this.controls.target), s = new THREE.Spherical().setFromVector3(offset);
    s.theta += azimuth;
    s.phi = Math.min(Math.PI - 0.01, Math.max(0.01, s.phi + polar));
    this.camera.position.copy(this.controls.target).add(offset.setFromSpherical(s));
    this.controls.update();
  }

  /** Moves the camera towards its target (factor below 1) or away. */
  dolly(factor: number) {
    const offset = this.camera.position.clone().sub(this.controls.target).multiplyScalar(factor);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
  }

  /** Returns the panes' rectangles: side by side on wide canvases, stacked on tall ones, two by two for three or four. */
  rectangles(): Rectangle[] {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight, n = this.panes.length;
    const columns = n <= 2 ? (width >= height ? n : 1) : width < 0.6 * height ? 1 : n === 3 && width > 2.2 * height ? 3 : 2;
    const rows = Math.ceil(n / Math.max(1, columns));
    return this.panes.map((_, k) => ({
      x: ((k % columns) * width) / columns, y: (Math.floor(k / columns) * height) / rows, width: width / columns,
      height: height / rows,
    }));
  }

  resize() {
    const box = this.canvas.parentElement ?? this.canvas;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setSize(box.clientWidth, box.clientHeight);
    this.onLayout(this.rectangles());
    // A new size clears the canvas: it is drawn before the browser shows it.
    this.invalidate();
    this.render();
  }

  /** Frees the graphics. */
  dispose() {
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  invalidate() {
    this.dirty = true;
  }

  /** Draws if anything changed. Returns whether it did. */
  render(): boolean {
    if (!this.dirty) return false;
    this.dirty = false;
    const height = this.canvas.clientHeight;
    this.renderer.setClearColor("#000000", 0);
    this.rectangles().forEach((r, k) => {
      this.camera.aspect = r.width / Math.max(1, r.height);
      this.camera.updateProjectionMatrix();
      this.renderer.setViewport(r.x, height - r.y - r.height, r.width, r.height);
      this.renderer.setScissor(r.x, height - r.y - r.height, r.width, r.height);
      this.renderer.render(this.panes[k].scene, this.camera);
    });
    return true;
  }

  /** Returns the pane under a point of the page and the ray of the camera through it. */
  rayAt(clientX: number, clientY: number): { pane: number; ray: THREE.Raycaster } | null {
    const canvas = this.canvas.getBoundingClientRect(), x = clientX - canvas.left, y = clientY - canvas.top;
    const list = this.rectangles();
    const pane = list.findIndex((r) => x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height);
    if (pane < 0) return null;
    return { pane, ray: this.rayIn(pane, clientX, clientY) };
  }

  /** Returns the ray of the camera through a point of the page, seen from a given pane. */
  rayIn(pane: number, clientX: number, clientY: number): THREE.Raycaster {
    const canvas = this.canvas.getBoundingClientRect(), r = this.rectangles()[pane];
    const x = clientX - canvas.left - r.x, y = clientY - canvas.top - r.y;
    this.camera.aspect = r.width / Math.max(1, r.height);
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2((2 * x) / r.width - 1, 1 - (2 * y) / r.height), this.camera);
    return ray;
  }
}
