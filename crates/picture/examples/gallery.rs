//! Pictures to look at after changing the renderer: `cargo run --release -p supple-picture --example gallery [FOLDER]`.

use std::f64::consts::{PI, TAU};
use std::path::{Path, PathBuf};
use std::time::Instant;

use picture::{
    Camera, Capsule, ColourBar, ColourMap, ColourScale, Colouring, Picture, PictureError, Sphere,
    Style, Surface, View, Wireframe, body_colour, picture_grid, render, write_gif,
};

struct Mesh {
    positions: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

/// A grid of quadrilaterals bent by `place`; wrapped around where asked.
fn sheet(n: [u32; 2], wrap: [bool; 2], place: impl Fn(f64, f64) -> [f64; 3]) -> Mesh {
    let count = [0, 1].map(|i| if wrap[i] { n[i] } else { n[i] + 1 });
    let mut mesh = Mesh {
        positions: Vec::new(),
        triangles: Vec::new(),
    };
    for i in 0..count[0] {
        for j in 0..count[1] {
            mesh.positions.push(place(
                f64::from(i) / f64::from(n[0]),
                f64::from(j) / f64::from(n[1]),
            ));
        }
    }
    let at = |i: u32, j: u32| i % count[0] * count[1] + j % count[1];
    for i in 0..n[0] {
        for j in 0..n[1] {
            let q = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            mesh.triangles
                .extend([[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
        }
    }
    mesh
}

fn torus(n: u32) -> Mesh {
    sheet([2 * n, n], [true, true], |u, v| {
        let ((s, c), (t, d)) = ((TAU * u).sin_cos(), (TAU * v).sin_cos());
        [(1.0 + 0.4 * d) * c, 0.4 + 0.4 * t, -(1.0 + 0.4 * d) * s]
    })
}

/// A square beam along x, twisted by `signed_area` radians from end to end, closed by its ends.
fn beam(signed_area: f64) -> (Mesh, Vec<f64>) {
    let side = |v: f64| {
        let s = 4.0 * v;
        match s as usize {
            0 => [-1.0 + 2.0 * s, -1.0],
            1 => [1.0, -1.0 + 2.0 * (s - 1.0)],
            2 => [1.0 - 2.0 * (s - 2.0), 1.0],
            _ => [-1.0, 1.0 - 2.0 * (s - 3.0)],
        }
    };
    let place = |u: f64, p: [f64; 2]| {
        let (s, c) = (signed_area * u).sin_cos();
        let (y, z) = (0.25 * p[0], 0.25 * p[1]);
        let sag = 0.5 * (1.0 - (PI * u).cos()) * 0.3;
        [4.0 * u - 2.0, 1.0 + c * y - s * z - sag, s * y + c * z]
    };
    let mut mesh = sheet([80, 32], [false, true], |u, v| place(u, side(v)));
    for (u, first) in [(0.0, 0), (1.0, 80 * 32)] {
        let middle = mesh.positions.len() as u32;
        mesh.positions.push(place(u, [0.0, 0.0]));
        mesh.triangles
            .extend((0..32).map(|j| [first + j, first + (j + 1) % 32, middle]));
    }
    let field = mesh
        .positions
        .iter()
        .map(|p| 35.0 * (1.0 + p[0] / 2.0).powi(2) * (p[2].abs() + 0.1))
        .collect();
    (mesh, field)
}

fn cloth(t: f64) -> Mesh {
    sheet([70, 70], [false, false], |u, v| {
        let r = (u - 0.5).hypot(v - 0.5);
        let fold = 0.05 * (9.0 * (v - 0.5).atan2(u - 0.5) + t).sin() * (2.0 * r).powi(2);
        let drop = (1.0 - (-6.0 * r * r).exp()) * 0.8;
        [
            2.0 * (u - 0.5) * (1.0 - 0.25 * r),
            0.95 - drop + fold,
            2.0 * (v - 0.5) * (1.0 - 0.25 * r),
        ]
    })
}

fn camera(mesh: &Mesh, style: &Style) -> Camera {
    let aspect = style.width as f64 / style.height as f64;
    Camera::framing_points(
        mesh.positions.iter().copied(),
        Camera::THREE_QUARTER,
        aspect,
    )
}

fn keep(
    picture: Picture,
    folder: &Path,
    name: &str,
    since: Instant,
) -> Result<Picture, PictureError> {
    println!("{name}: {:.0} ms", since.elapsed().as_secs_f64() * 1e3);
    picture.write_png(&folder.join(name))?;
    Ok(picture)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "gallery".into()));
    std::fs::create_dir_all(&folder)?;
    let style = Style::light(960, 540);

    let ring = torus(70);
    let now = Instant::now();
    let view = View {
        surfaces: vec![Surface::new(
            &ring.positions,
            &ring.triangles,
            Colouring::Uniform(body_colour(0)),
        )],
        ground: Some(0.0),
        ..View::default()
    };
    let first = keep(
        render(&view, &camera(&ring, &style), &style)?,
        &folder,
        "torus.png",
        now,
    )?;

    let (bar, field) = beam(PI);
    let now = Instant::now();
    let scale = ColourScale::spanning(ColourMap::Meadow, &field);
    let mut surface = Surface::new(
        &bar.positions,
        &bar.triangles,
        Colouring::VertexField(&field, scale),
    );
    surface.wireframe = Some(Wireframe {
        colour: [0.1, 0.1, 0.12],
        width: 0.8,
    });
    let view = View {
        surfaces: vec![surface],
        ground: Some(0.35),
        title: "Twisted beam, t = 0.250 s".into(),
        colour_bar: Some(ColourBar {
            scale,
            label: "stress [kPa]".into(),
        }),
        ..View::default()
    };
    let second = keep(
        render(&view, &camera(&bar, &style), &style)?,
        &folder,
        "beam.png",
        now,
    )?;

    let night = Style::dark(960, 540);
    let mut frames = Vec::new();
    for k in 0..12 {
        let mesh = cloth(TAU * f64::from(k) / 12.0);
        let now = Instant::now();
        let view = View {
            surfaces: vec![Surface::new(
                &mesh.positions,
                &mesh.triangles,
                Colouring::Uniform(body_colour(3)),
            )],
            spheres: vec![Sphere {
                centre: [0.0, 0.5, 0.0],
                radius: 0.42,
                colour: [0.8, 0.8, 0.78],
            }],
            ground: Some(0.0),
            ..View::default()
        };
        let picture = render(
            &view,
            &camera(&cloth(0.0), &night),
            if k == 0 { &style } else { &night },
        )?;
        if k < 2 {
            keep(
                picture.clone(),
                &folder,
                ["cloth.png", "night.png"][k as usize],
                now,
            )?;
        }
        if k > 0 {
            frames.push(picture);
        }
    }
    let now = Instant::now();
    write_gif(&folder.join("cloth.gif"), &frames, 20.0)?;
    println!(
        "cloth.gif: {:.0} ms for {} frames",
        now.elapsed().as_secs_f64() * 1e3,
        frames.len()
    );

    let now = Instant::now();
    let spheres: Vec<Sphere> = (0..12)
        .map(|i| {
            let a = f64::from(i);
            Sphere {
                centre: [0.35 * a, 1.0 + 0.4 * a.sin(), 0.3 * a.cos()],
                radius: 0.1,
                colour: body_colour(1),
            }
        })
        .collect();
    let capsules = spheres
        .windows(2)
        .map(|w| Capsule {
            a: w[0].centre,
            b: w[1].centre,
            radius: 0.025,
            colour: [0.35, 0.37, 0.40],
        })
        .collect();
    let camera = Camera::framing(
        [-0.1, 0.0, -0.4],
        [4.0, 1.5, 0.4],
        [0.2, 0.3, 1.0],
        16.0 / 9.0,
    );
    let view = View {
        spheres,
        capsules,
        ground: Some(0.0),
        title: "ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789 !?&%@#()[]{}<>+-*/=.,:;°²³µ×ω".into(),
        ..View::default()
    };
    let third = keep(render(&view, &camera, &style)?, &folder, "springs.png", now)?;
    let sheet = picture_grid(
        &[first, second, third],
        2,
        &["(a) torus", "(b) beam, h = 1/100 s", "(c) springs"],
    )?;
    sheet.write_png(&folder.join("grid.png"))?;
    Ok(())
}
