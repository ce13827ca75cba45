use march::{Curvature, System, Weights};
fn main(){
 for (name,mesh,fix) in [("beam","{ box = { size = [2, 0.4, 0.4], cells = [80, 15, 15] } }",true),("cube","{ box = { size = [1,1,1], cells = [26,26,26] } }",false),("ball","{ ball = { radius = 0.5, cells = 24 } }",false),("slab","{ box = { size = [1,1,0.05], cells = [80,80,3] } }",true)]{
  let fixs = if fix {"[[body.fix]]\nwhere = { x = 0.0 }\n"} else {""};
  let text=format!("[time]\nmethod=\"sdirk2\"\nstep=0.01\nuntil=0.5\n[[body]]\nmesh = {mesh}\nmaterial = {{ young = 1e5, poisson = 0.3, density = 1000 }}\n{fixs}");
  let (s,src)=scene::spec::parse("b.toml",&text).unwrap();
  let mut s=scene::build::build(s,&src).unwrap();
  let (model,state)=s.model_and_state(); let at=state.at(); model.prepare(at);
  let mut k=model.zero_matrix();
  model.tangent(at,Weights{mass:0.,damping:0.,stiffness:1.},Curvature::Definite,&mut k);
  let t=std::time::Instant::now();
  for tol in [1e-6,1e-9]{
  let e=sparse::counted_eigenpairs(&k,model.mass(),20,tol).unwrap();
  println!("{name} nodes {} tol {tol} fact {} solves {} {:?} res {:?} first {:?}",model.nodes(),e.factorizations,e.solves,t.elapsed(),e.residuals.iter().fold(0f64,|a,b|a.max(*b)),e.pairs.iter().map(|p|p.0.sqrt()/6.283185307).collect::<Vec<_>>());
  }
 }
}
