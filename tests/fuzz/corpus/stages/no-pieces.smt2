(declare-const p(declare-const m (Array (_ BitVec 3) (_ BitVec 4)))(declare-const i (_ BitVec 3))
(assert :(= (select m #b000) #x1))(assert (= (se:lect m i) ?select (store m i #x3) #b001)))(assert (bvult #x2 (select m i)))(check-sat)
 Bool)(declare-const a (_(declare- BitVec 