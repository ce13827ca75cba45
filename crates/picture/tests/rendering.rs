//! What must be true of any picture, whatever its exact bytes.

use std::f64::consts::{PI, TAU};

use picture::{
    Camera, Capsule, ColourBar, ColourMap, ColourScale, Colouring, Picture, PictureError, Sphere,
    Style, Surface, View, Wireframe, colour_bar_rectangle, picture_grid, render,
};

const RED: [f32; 3] = [0.8, 0.1, 0.1];

/// A bumpy ball of `2n²` quadrilaterals, split.
fn ball(n: u32, radius: f64, bumps: f64) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..=n {
        for j in 0..2 * n {
            let (a, b) = (
                PI * f64::from(i) / f64::from(n),
                TAU * f64::from(j) / f64::from(2 * n),
            );
            let r = radius * (1.0 + bumps * (5.0 * a).sin() * (4.0 * b).cos());
            positions.push([r * a.sin() * b.cos(), r * a.cos(), r * a.sin() * b.sin()]);
            let at = |i: u32, j: u32| i * 2 * n + j % (2 * n);
            if i < n {
                triangles.push([at(i, j), at(i, j + 1), at(i + 1, j)]);
                triangles.push([at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)]);
            }
        }
    }
    (positions, triangles)
}

#[test]
fn a_ball_covers_the_area_geometry_says() {
    let style = Style {
        vignette: 0.0,
        ..Style::light(400, 300)
    };
    let camera = Camera {
        eye: [0.0, 0.0, 5.0],
        target: [0.0; 3],
        up: [0.0, 1.0, 0.0],
        angle_deg: 30.0,
    };
    let (positions, triangles) = ball(60, 1.0, 0.0);
    let view = View {
        surfaces: vec![Surface::new(
            &positions,
            &triangles,
            Colouring::Uniform(RED),
        )],
        ..View::default()
    };
    let picture = render(&view, &camera, &style).unwrap();
    let empty = render(&View::default(), &camera, &style).unwrap();
    // The outline is a circle of tangent r / √(d² − r²).
    let focal = 150.0 / (15f64.to_radians()).tan();
    let radius = focal / 24f64.sqrt();
    let wanted = PI * radius * radius;
    let changed = picture
        .rgb
        .chunks(3)
        .zip(empty.rgb.chunks(3))
        .filter(|(a, b)| a != b)
        .count() as f64;
    // Pixels the edge passes through, 8 r of them, are half covered on average but counted whole.
    let found = changed - 4.0 * radius;
    assert!(
        (found / wanted - 1.0).abs() < 0.01,
        "{found} against {wanted}"
    );
}

#[test]
fn balls_and_rods_are_where_they_belong() {
    let style = Style::light(320, 240);
    let camera = Camera {
        eye: [0.0, 0.0, 6.0],
        target: [0.0; 3],
        up: [0.0, 1.0, 0.0],
        angle_deg: 30.0,
    };
    let view = View {
        spheres: vec![Sphere {
            centre: [-1.0, 0.5, 0.0],
            radius: 0.3,
            colour: RED,
        }],
        capsules: vec![Capsule {
            a: [0.2, -1.0, 0.0],
            b: [1.6, 0.8, 0.0],
            radius: 0.05,
            colour: RED,
        }],
        ..View::default()
    };
    let picture = render(&view, &camera, &style).unwrap();
    let red_at = |p: [f64; 3]| {
        let ([x, y], _) = camera.pixel(p, 320, 240).unwrap();
        let [r, g, _] = picture.pixel(x as usize, y as usize);
        r / 2 > g
    };
    assert!(red_at([-1.0, 0.5, 0.0]) && red_at([-1.28, 0.5, 0.0]) && !red_at([-1.32, 0.5, 0.0]));
    for k in 0..=10 {
        let s = f64::from(k) / 10.0;
        assert!(red_at([0.2 + 1.4 * s, -1.0 + 1.8 * s, 0.0]));
        assert!(!red_at([0.32 + 1.4 * s, -1.09 + 1.8 * s, 0.0]));
    }
}

#[test]
fn shadow_is_darker_than_ground_and_ground_far_away_is_not() {
    let style = Style {
        vignette: 0.0,
        ..Style::light(320, 240)
    };
    let (positions, triangles) = ball(24, 0.5, 0.0);
    let camera = Camera::framing(
        [-2.0, -0.6, -2.0],
        [2.0, 1.0, 2.0],
        [0.0, 0.8, 1.0],
        4.0 / 3.0,
    );
    let surfaces = vec![Surface::new(
        &positions,
        &triangles,
        Colouring::Uniform(RED),
    )];
    let view = View {
        surfaces,
        ground: Some(-0.6),
        ..View::default()
    };
    let picture = render(&view, &camera, &style).unwrap();
    let light_at = |p: [f64; 3]| {
        let ([x, y], _) = camera.pixel(p, 320, 240).unwrap();
        picture
            .pixel(x as usize, y as usize)
            .map(f64::from)
            .iter()
            .sum::<f64>()
    };
    // The key light comes from the upper left and the camera's side: the shadow falls to the right.
    let (shadow, open) = (light_at([0.58, -0.6, -0.1]), light_at([-1.6, -0.6, -0.1]));
    assert!(shadow < 0.8 * open, "{shadow} against {open}");
    let mirrored = light_at([1.6, -0.6, -0.1]);
    assert!(
        (mirrored / open - 1.0).abs() < 0.03,
        "{mirrored} against {open}"
    );
    let none = render(
        &View {
            ground: None,
            ..view
        },
        &camera,
        &style,
    )
    .unwrap();
    assert_ne!(none, picture);
}

/// The edge of a shadow is the softer the higher what casts it.
#[test]
fn shadows_soften_with_height() {
    let style = Style {
        vignette: 0.0,
        ..Style::light(600, 400)
    };
    let camera = Camera::framing([-1.0, 0.0, -1.0], [2.0, 0.5, 1.0], [0.0, 1.0, 0.5], 1.5);
    let steepest = |height: f64| {
        let positions = [
            [-0.5, height, -0.5],
            [0.5, height, -0.5],
            [0.5, height, 0.5],
            [-0.5, height, 0.5],
        ];
        let surfaces = vec![Surface::new(
            &positions,
            &[[0, 1, 2], [0, 2, 3]],
            Colouring::Uniform(RED),
        )];
        let picture = render(
            &View {
                surfaces,
                ground: Some(0.0),
                ..View::default()
            },
            &camera,
            &style,
        )
        .unwrap();
        // Along the ground to the right of the sheet, where its shadow ends.
        let light: Vec<f64> = (0..150)
            .filter_map(|k| {
                let p = [0.52 + 0.01 * f64::from(k), 0.0, -0.5 * height];
                let ([x, y], _) = camera.pixel(p, 600, 400)?;
                let [r, g, b] = picture.pixel(x as usize, y as usize);
                (f64::from(r) < 1.5 * f64::from(g)).then_some(f64::from(b))
            })
            .collect();
        light.windows(4).map(|w| w[3] - w[0]).fold(0.0, f64::max)
    };
    let (low, high) = (steepest(0.12), steepest(0.9));
    assert!(low > 2.0 * high && high > 1.0, "{low} against {high}");
}

#[test]
fn framing_holds_every_corner_and_fills_the_picture() {
    for direction in [
        [0.0, 0.0, 1.0],
        Camera::THREE_QUARTER,
        [-1.0, 0.2, 0.3],
        [0.0, 1.0, 0.0],
        [0.3, -0.9, 0.1],
    ] {
        for (min, max) in [
            ([-1.0, 0.0, -1.0], [1.0, 0.1, 1.0]),
            ([3.0, -8.0, 2.0], [4.0, 90.0, 3.0]),
            ([0.0; 3], [1e-4; 3]),
        ] {
            for (width, height) in [(960, 540), (300, 600)] {
                let aspect = width as f64 / height as f64;
                let camera = Camera::framing(min, max, direction, aspect);
                let mut most: f64 = 0.0;
                for corner in 0..8 {
                    let p =
                        std::array::from_fn(|i| if corner >> i & 1 == 0 { min[i] } else { max[i] });
                    let ([x, y], depth) = camera.pixel(p, width, height).unwrap();
                    assert!(depth > 0.0);
                    let out = (x / width as f64 - 0.5)
                        .abs()
                        .max((y / height as f64 - 0.5).abs());
                    most = most.max(2.0 * out);
                }
                assert!(most < 0.85 && most > 0.83, "{most} from {direction:?}");
            }
        }
    }
    // Points of no extent, and none at all, still give a camera.
    for points in [vec![], vec![[1.0, 2.0, 3.0]], vec![[f64::NAN; 3]]] {
        let camera = Camera::framing_points(points, Camera::THREE_QUARTER, 1.0);
        assert!(camera.pixel(camera.target, 10, 10).is_some());
    }
}

#[test]
fn the_bar_shows_the_map_from_end_to_end() {
    let style = Style::light(480, 270);
    let scale = ColourScale {
        map: ColourMap::Meadow,
        from: -3.0,
        to: 250.0,
    };
    let view = View {
        colour_bar: Some(ColourBar {
            scale,
            label: "speed [m/s]".into(),
        }),
        ..View::default()
    };
    let camera = Camera::framing([0.0; 3], [1.0; 3], Camera::THREE_QUARTER, 16.0 / 9.0);
    let picture = render(&view, &camera, &style).unwrap();
    let [left, top, right, bottom] = colour_bar_rectangle(480, 270);
    for (y, x) in [
        (bottom - 1, -3.0),
        ((top + bottom) / 2, 123.5),
        (top, 250.0),
    ] {
        let found = picture.pixel((left + right) / 2, y);
        let wanted = scale.colour(x).map(|c| 255.0 * c);
        for c in 0..3 {
            assert!(
                (f32::from(found[c]) - wanted[c]).abs() < 5.0,
                "{found:?} against {wanted:?}"
            );
        }
    }
    // Ticks and label: ink orthonormal_basis and above the bar.
    let plain = render(&View::default(), &camera, &style).unwrap();
    let ink = |xs: std::ops::Range<usize>, ys: std::ops::Range<usize>| {
        ys.flat_map(|y| xs.clone().map(move |x| (x, y)))
            .filter(|&(x, y)| {
                f64::from(picture.pixel(x, y)[1]) < 0.6 * f64::from(plain.pixel(x, y)[1])
            })
            .count()
    };
    assert!(ink(right + 2..480, top..bottom) > 60);
    assert!(ink(left - 60..480, top - 22..top - 3) > 60);
}

#[test]
fn colour_maps_rise_evenly_in_lightness() {
    // Oklab's lightness.
    let lightness = |c: [f32; 3]| {
        let [r, g, b] = c.map(|c| {
            if c <= 0.04045 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        });
        let l = (0.412_221_5 * r + 0.536_332_5 * g + 0.051_446 * b).cbrt();
        let m = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_397 * b).cbrt();
        let s = (0.088_302_5 * r + 0.281_718_9 * g + 0.629_978_7 * b).cbrt();
        0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s
    };
    for map in [ColourMap::Meadow, ColourMap::Ember] {
        let steps: Vec<f32> = (0..8)
            .map(|i| {
                lightness(map.at(f64::from(i + 1) / 8.0)) - lightness(map.at(f64::from(i) / 8.0))
            })
            .collect();
        let mean = steps.iter().sum::<f32>() / 8.0;
        assert!(
            steps.iter().all(|s| (s / mean - 1.0).abs() < 0.1),
            "{}: {steps:?}",
            map.name()
        );
    }
    for k in 0..=4 {
        let s = f64::from(k) / 8.0;
        let (a, b) = (
            lightness(ColourMap::Tide.at(s)),
            lightness(ColourMap::Tide.at(1.0 - s)),
        );
        assert!((a - b).abs() < 0.01);
    }
}

#[test]
fn same_bytes_for_any_number_of_threads() {
    let (positions, triangles) = ball(30, 1.0, 0.1);
    let field: Vec<f64> = positions.iter().map(|p| p[1]).collect();
    let scale = ColourScale::spanning(ColourMap::Tide, &field);
    let mut surface = Surface::new(
        &positions,
        &triangles,
        Colouring::VertexField(&field, scale),
    );
    surface.wireframe = Some(Wireframe {
        colour: [0.0; 3],
        width: 1.0,
    });
    let view = View {
        surfaces: vec![surface],
        ground: Some(-1.1),
        title: "t = 0".into(),
        ..View::default()
    };
    let camera = Camera::framing([-1.1; 3], [1.1; 3], Camera::THREE_QUARTER, 1.5);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| render(&view, &camera, &Style::dark(240, 160)).unwrap())
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(4));
}

#[test]
fn bad_geometry_is_left_out_and_bad_numbers_refused() {
    let (mut positions, mut triangles) = ball(12, 1.0, 0.0);
    let style = Style::light(160, 120);
    let camera = Camera::framing([-1.0; 3], [1.0; 3], Camera::THREE_QUARTER, 4.0 / 3.0);
    let show = |positions: &[[f64; 3]], triangles: &[[u32; 3]]| {
        let surfaces = vec![Surface::new(positions, triangles, Colouring::Uniform(RED))];
        render(
            &View {
                surfaces,
                ground: Some(-1.0),
                ..View::default()
            },
            &camera,
            &style,
        )
    };
    let good = show(&positions, &triangles).unwrap();
    let first = positions.len() as u32;
    positions.extend([
        [f64::NAN, 0.0, 0.0],
        [f64::INFINITY, 0.0, 0.0],
        [1e300, 1e300, 0.0],
    ]);
    triangles.extend([
        [first, 0, 1],
        [0, first + 1, 2],
        [3, 3, 4],
        [0, 1, first + 2],
    ]);
    assert_eq!(show(&positions, &triangles).unwrap(), good);
    triangles.push([0, 1, first + 3]);
    assert!(matches!(
        show(&positions, &triangles),
        Err(PictureError::Triangle { .. })
    ));

    let odd = View {
        spheres: vec![
            Sphere {
                centre: [f64::NAN; 3],
                radius: 1.0,
                colour: RED,
            },
            Sphere {
                centre: [0.0; 3],
                radius: -1.0,
                colour: RED,
            },
        ],
        capsules: vec![Capsule {
            a: [0.0; 3],
            b: [0.0; 3],
            radius: 0.1,
            colour: RED,
        }],
        ground: Some(f64::NAN),
        ..View::default()
    };
    assert_eq!(
        render(&odd, &camera, &style).unwrap(),
        render(&View::default(), &camera, &style).unwrap()
    );
    assert!(matches!(
        render(&odd, &camera, &Style::light(0, 9)),
        Err(PictureError::Size { .. })
    ));
    let few = Surface::new(
        &positions,
        &triangles[..9],
        Colouring::VertexField(&[1.0], ColourScale::spanning(ColourMap::Ember, &[])),
    );
    let said = render(
        &View {
            surfaces: vec![few],
            ..View::default()
        },
        &camera,
        &style,
    )
    .unwrap_err()
    .to_string();
    assert!(said.contains("1 values"), "{said}");
    // A camera inside the mesh clips it instead of failing.
    let inside = Camera {
        eye: [0.0; 3],
        target: [0.0, 0.0, -1.0],
        up: [0.0, 1.0, 0.0],
        angle_deg: 60.0,
    };
    let surfaces = vec![Surface::new(
        &positions[..first as usize],
        &triangles[..500],
        Colouring::Uniform(RED),
    )];
    let picture = render(
        &View {
            surfaces,
            ..View::default()
        },
        &inside,
        &style,
    )
    .unwrap();
    let [r, g, _] = picture.pixel(80, 60);
    assert!(r > g, "the wall ahead is red");
}

#[test]
fn files_read_back() {
    let (positions, triangles) = ball(16, 1.0, 0.2);
    let camera = Camera::framing([-1.2; 3], [1.2; 3], Camera::THREE_QUARTER, 1.5);
    let frames: Vec<Picture> = (0..5)
        .map(|k| {
            let moved: Vec<_> = positions
                .iter()
                .map(|p| [p[0], p[1] + 0.05 * f64::from(k), p[2]])
                .collect();
            let surfaces = vec![Surface::new(&moved, &triangles, Colouring::Uniform(RED))];
            render(
                &View {
                    surfaces,
                    ground: Some(-1.2),
                    ..View::default()
                },
                &camera,
                &Style::light(90, 60),
            )
            .unwrap()
        })
        .collect();
    let dir = tempfile::tempdir().unwrap();

    let path = dir.path().join("one.png");
    frames[0].write_png(&path).unwrap();
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&path).unwrap()))
            .read_info()
            .unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.width, info.height, &bytes), (90, 60, &frames[0].rgb));

    let path = dir.path().join("all.gif");
    picture::write_gif(&path, &frames, 30.0).unwrap();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut reader = options
        .read_info(std::fs::File::open(&path).unwrap())
        .unwrap();
    let mut canvas = vec![0u8; 90 * 60 * 3];
    let (mut count, mut time) = (0, 0);
    while let Some(frame) = reader.read_next_frame().unwrap() {
        for (k, c) in frame
            .buffer
            .chunks(4)
            .enumerate()
            .filter(|(_, c)| c[3] == 255)
        {
            let (x, y) = (
                k % frame.width as usize + frame.left as usize,
                k / frame.width as usize + frame.top as usize,
            );
            canvas[3 * (y * 90 + x)..][..3].copy_from_slice(&c[..3]);
        }
        let off = canvas
            .iter()
            .zip(&frames[count].rgb)
            .map(|(a, b)| f64::from(a.abs_diff(*b)))
            .sum::<f64>();
        let mean = off / canvas.len() as f64;
        assert!(
            mean < 4.0,
            "frame {count} is off by {mean} of 255 on average"
        );
        count += 1;
        time += u32::from(frame.delay);
    }
    assert_eq!((count, time), (5, 17));

    let missing = dir.path().join("no/such.png");
    let said = frames[0].write_png(&missing).unwrap_err().to_string();
    assert!(said.contains(&missing.display().to_string()), "{said}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn a_grid_has_room_for_all_and_labels_below() {
    let [a, b] = [[200, 0, 0], [0, 200, 0]].map(|c| Picture::filled(80, 50, c).unwrap());
    let sheet = picture_grid(&[a.clone(), b, a], 2, &["first", "second", ""]).unwrap();
    assert_eq!(sheet.pixel(10, 10), [200, 0, 0]);
    assert_eq!(sheet.pixel(sheet.width - 10, 10), [0, 200, 0]);
    assert_eq!(sheet.pixel(10, sheet.height - 30), [200, 0, 0]);
    let dark = (50..74)
        .flat_map(|y| (0..80).map(move |x| (x, y)))
        .filter(|&(x, y)| sheet.pixel(x, y)[0] < 120)
        .count();
    assert!(dark > 20, "{dark} dark pixels under the first picture");
    assert!(matches!(
        picture_grid(&[], 2, &[]),
        Err(PictureError::Size { .. })
    ));
}
