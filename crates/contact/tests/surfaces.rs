//! Collision surfaces: primitives and contact areas.

use contact::{CodimensionalSizes, CollisionSurface, Point};
use mesh::{CellKind, Mesh};
use meshing::shapes::{Ball, Box, ElementKind, HexSplit, Sheet};

fn surface(mesh: &Mesh) -> CollisionSurface {
    CollisionSurface::from_mesh(mesh, &CodimensionalSizes::default())
}

/// Area of the vertices at which `on` is true.
fn area(mesh: &Mesh, s: &CollisionSurface, on: impl Fn(Point) -> bool) -> f64 {
    let areas = mesh.points.iter().zip(&s.vertex_areas);
    areas.filter(|(p, _)| on(**p)).map(|(_, a)| a).sum()
}

#[test]
fn a_box_counts_one_side_at_its_edges_and_corners() {
    for element in ElementKind::ALL {
        let size = [2.0, 1.0, 0.5];
        let mesh = Box {
            size,
            cells: [4, 2, 1],
            element,
            split: HexSplit::Six,
        }
        .mesh()
        .unwrap();
        let s = surface(&mesh);
        let p = &s.primitives;
        assert!(p.particles.is_empty() && p.wire_edges.is_empty());
        let topology = mesh::surface_topology(p.triangles.iter().map(|t| &t[..]));
        assert!(topology.is_closed() && topology.genus == Some(0));
        assert_eq!(p.points.len(), topology.vertices);
        assert_eq!(p.edges.len(), topology.edges);
        assert!(p.edges.is_sorted() && p.points.is_sorted());
        // Every boundary node is a vertex.
        let on_boundary = |q: &&Point| (0..3).any(|k| q[k] == 0.0 || q[k] == size[k]);
        assert_eq!(
            p.points.len(),
            mesh.points.iter().filter(on_boundary).count()
        );
        let sum = |on: &dyn Fn(Point) -> bool| area(&mesh, &s, on);
        let top = sum(&|q| q[2] == 0.5);
        // The area of the largest side counts at each vertex of the top's rim: never less than the top's own parts.
        assert!(top >= 2.0 - 1e-12, "{element:?}: {top}");
        assert!(top <= 2.0 * 1.6, "{element:?}: {top}");
        // No vertex counts more than the triangles around it in one plane.
        for (v, q) in mesh.points.iter().enumerate() {
            let mut largest = 0.0f64;
            for k in 0..3 {
                for side in [0.0, size[k]] {
                    if q[k] != side {
                        continue;
                    }
                    let flat = |t: &&[u32; 3]| {
                        t.contains(&(v as u32))
                            && t.iter().all(|&w| mesh.points[w as usize][k] == side)
                    };
                    let part = |t: &[u32; 3]| nearest_part(&mesh.points, t, v as u32);
                    largest = largest.max(p.triangles.iter().filter(flat).map(part).sum());
                }
            }
            assert!(
                (s.vertex_areas[v] - largest).abs() < 1e-14,
                "{element:?} {q:?}"
            );
        }
    }
}

#[test]
fn a_balls_areas_add_up_to_its_surface() {
    for (cells, tolerance) in [(8, 0.06), (16, 0.02)] {
        let ball = Ball {
            radius: 0.5,
            cells,
            element: ElementKind::Tet4,
        };
        let mesh = ball.mesh().unwrap();
        let s = surface(&mesh);
        let total: f64 = s.vertex_areas.iter().sum();
        let edges: f64 = s.edge_areas.iter().sum();
        let wanted = std::f64::consts::PI;
        assert!((total / wanted - 1.0).abs() < tolerance, "{total}");
        // Each triangle gives a third to each of its three edges.
        assert!((edges - total).abs() < 1e-12, "{edges} {total}");
    }
}

#[test]
fn a_sheets_areas_add_up_to_its_area() {
    for element in [ElementKind::Hex8, ElementKind::Tet4] {
        let mut mesh = Sheet {
            size: [2.0, 1.5],
            cells: [6, 5],
            thickness: None,
            element,
        }
        .mesh()
        .unwrap();
        let s = surface(&mesh);
        assert_eq!(s.primitives.points.len(), 42);
        assert_eq!(s.primitives.triangles.len(), 60);
        for areas in [&s.vertex_areas, &s.edge_areas] {
            let total: f64 = areas.iter().sum();
            assert!((total - 3.0).abs() < 1e-12, "{total}");
        }
        // Reversing some cells changes no area.
        for cell in (0..mesh.len()).step_by(3) {
            let range = mesh.starts[cell] as usize..mesh.starts[cell + 1] as usize;
            mesh.nodes[range].reverse();
        }
        let reversed = surface(&mesh);
        for (a, b) in s.vertex_areas.iter().zip(&reversed.vertex_areas) {
            // The other orientation may split a quadrilateral along the same diagonal only.
            assert!((a - b).abs() < 1e-14);
        }
    }
}

/// Part of a triangle that is nearer to a corner than to the others: two right triangles up to the circumcentre, or, if the
/// triangle is obtuse, half of it at the obtuse corner and a quarter at the others.
fn nearest_part(points: &[Point], t: &[u32; 3], corner: u32) -> f64 {
    use mesh::vector::{add, cross, dot, norm, scale, sub};
    let k = t.iter().position(|&w| w == corner).unwrap();
    let [a, b, c] = [0, 1, 2].map(|i| points[t[(k + i) % 3] as usize]);
    let (p, q) = (sub(b, a), sub(c, a));
    let n = cross(p, q);
    let cosines = [dot(p, q), -dot(p, sub(c, b)), dot(q, sub(c, b))];
    if let Some(obtuse) = cosines.iter().position(|x| *x < -1e-12) {
        let share = if obtuse == 0 { 0.5 } else { 0.25 };
        return share * 0.5 * norm(n);
    }
    // Circumcentre relative to a.
    let centre = scale(
        0.5 / dot(n, n),
        add(scale(dot(p, p), cross(q, n)), scale(dot(q, q), cross(n, p))),
    );
    let triangle = |x: Point, y: Point| 0.5 * norm(cross(x, y));
    triangle(scale(0.5, p), centre) + triangle(centre, scale(0.5, q))
}

#[test]
fn creases_divide_what_is_folded_further_than_45_degrees() {
    // Two squares that meet along the y axis at an angle.
    let folded = |degrees: f64| {
        let (s, c) = degrees.to_radians().sin_cos();
        let mut mesh = Mesh::with_points(vec![
            [-1.0, 0.0, 0.0],
            [0.0, 0.0, 0.0],
            [c, 0.0, s],
            [-1.0, 1.0, 0.0],
            [0.0, 1.0, 0.0],
            [c, 1.0, s],
        ]);
        mesh.push(CellKind::Quad4, &[0, 1, 4, 3]);
        mesh.push(CellKind::Quad4, &[1, 2, 5, 4]);
        surface(&mesh)
    };
    let total = |s: &CollisionSurface| s.vertex_areas.iter().sum::<f64>();
    assert!((total(&folded(40.0)) - 2.0).abs() < 1e-14);
    // Each square gives a quarter to its corners; at the two vertices of the crease one of two quarters is missing.
    let sharp = total(&folded(50.0));
    assert!((sharp - 1.5).abs() < 1e-14, "{sharp}");
    let crease = |s: &CollisionSurface| {
        let e = s
            .primitives
            .edges
            .iter()
            .position(|e| *e == [1, 4])
            .unwrap();
        s.edge_areas[e]
    };
    assert!((crease(&folded(40.0)) - 1.0 / 3.0).abs() < 1e-14);
    assert!((crease(&folded(50.0)) - 1.0 / 6.0).abs() < 1e-14);
}

#[test]
fn wires_and_particles_have_the_given_areas() {
    let mut mesh = Mesh::with_points(vec![[0.0; 3], [3.0, 4.0, 0.0], [3.0, 4.0, 2.0], [9.0; 3]]);
    mesh.push(CellKind::Line2, &[1, 0]);
    mesh.push(CellKind::Line2, &[1, 2]);
    let sizes = CodimensionalSizes {
        wire_width: 0.1,
        particle_area: 0.7,
    };
    let s = CollisionSurface::from_mesh(&mesh, &sizes);
    let p = &s.primitives;
    assert_eq!(p.edges, [[0, 1], [1, 2]]);
    assert_eq!(
        (&p.wire_edges[..], &p.particles[..]),
        (&[0, 1][..], &[3][..])
    );
    assert_eq!(p.points, [0, 1, 2, 3]);
    assert_eq!(s.squared_lengths, [25.0, 4.0]);
    for (got, wanted) in s.vertex_areas.iter().zip([0.25, 0.35, 0.1, 0.7]) {
        assert!((got - wanted).abs() < 1e-15);
    }
    assert_eq!(s.edge_areas, [0.5, 0.2]);
}

#[test]
fn surfaces_are_appended_with_their_groups() {
    let mesh = Box::default().mesh().unwrap();
    let one = surface(&mesh);
    let n = mesh.points.len() as u32;
    let mut both = CollisionSurface::default();
    both.append(&one, 0, 5);
    // Two vertices between belong to nobody.
    both.append(&one, n + 2, 8);
    let p = &both.primitives;
    assert_eq!(p.groups[n as usize - 1..n as usize + 3], [5, 0, 0, 8]);
    assert_eq!(p.triangles.len(), 2 * one.primitives.triangles.len());
    assert!(p.edges.is_sorted() && p.points.is_sorted());
    let shifted = one.primitives.triangles[3].map(|v| v + n + 2);
    assert_eq!(p.triangles[one.primitives.triangles.len() + 3], shifted);
    assert_eq!(both.vertex_areas.len(), p.groups.len());
    assert_eq!(both.edge_areas.len(), p.edges.len());
    assert_eq!(both.squared_lengths.len(), p.edges.len());
}
