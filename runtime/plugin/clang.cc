/* SPDX-License-Identifier: MIT */
/* The write barrier for clang: a pass at the end of the optimiser, required (so also at -O0). C++ because LLVM's own
 * headers are. What gcc.cc says of the barrier holds here too: the test stands immediately before the store, calls to
 * code that is not instrumented un-verify what it may write to, and variables that never leave their function are left
 * alone. A struct that is returned through a pointer is written by the callee, whose stores are instrumented. */
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include "runtime/check/inside/asm_text.h"
#include "runtime/check/inside/calls.h"
#include "runtime/check/inside/store_test.h"
#include "runtime/check/inside/watch_map.h"

using namespace llvm;

namespace
{

class Barrier
{
	Module &M;
	const DataLayout &DL;
	Type *Void, *I64;
	PointerType *Ptr;
	DenseMap<const Value *, bool> Kept; /* locals that never leave their function */

      public:
	explicit Barrier(Module &m)
	    : M(m), DL(m.getDataLayout()), Void(Type::getVoidTy(m.getContext())), I64(Type::getInt64Ty(m.getContext())),
	      Ptr(Type::getInt8PtrTy(m.getContext()))
	{
	}
	void run();

      private:
	/* ---- functions of the runtime, and asm */

	void call(Instruction *at, StringRef name, ArrayRef<Value *> args)
	{
		IRBuilder<> b(at);
		SmallVector<Type *, 3> types;
		SmallVector<Value *, 3> values;
		for (Value *v : args) {
			bool pointer = v->getType()->isPointerTy();
			types.push_back(pointer ? (Type *)Ptr : I64);
			values.push_back(pointer ? b.CreatePointerCast(v, Ptr) : b.CreateZExtOrTrunc(v, I64));
		}
		FunctionCallee f = M.getOrInsertFunction(name, FunctionType::get(Void, types, false));
		if (auto *d = dyn_cast<Function>(f.getCallee()))
			d->setDoesNotThrow();
		b.CreateCall(f, values);
	}
	Value *number(uint64_t n)
	{
		return ConstantInt::get(I64, n);
	}
	void assemble(Instruction *at, const std::string &text, ArrayRef<Value *> in = {})
	{
		IRBuilder<> b(at);
		SmallVector<Type *, 2> types;
		std::string constraints;
		for (Value *v : in) {
			types.push_back(v->getType());
			constraints += "r,";
		}
		auto *type = FunctionType::get(Void, types, false);
		b.CreateCall(
			 type,
			 InlineAsm::get(type, text, constraints + "~{r11},~{memory},~{dirflag},~{fpsr},~{flags}", true),
			 in)
			->setDoesNotThrow();
	}

	/* ---- what need not be watched */

	/* A distance in bytes that is not known may lead from one object to another, though it should not. */
	bool movesByBytes(Value *p, Value *object)
	{
		if (cast<GlobalVariable>(object)->getValueType()->isArrayTy())
			return false;
		for (;; p = cast<Operator>(p)->getOperand(0)) {
			if (p == object || !isa<Operator>(p))
				return false;
			auto *g = dyn_cast<GEPOperator>(p);
			if (g && g->getSourceElementType()->isIntegerTy(8) && !g->hasAllConstantIndices())
				return true;
			if (!g && !isa<BitCastOperator>(p) && !isa<AddrSpaceCastOperator>(p))
				return false;
		}
	}
	bool unwatched(Value *p)
	{
		Value *o = const_cast<Value *>(getUnderlyingObject(p, 0));
		if (isa<ConstantPointerNull>(o)) /* and a distance from it is an address like any other */
			return p->stripPointerCasts() == o;
		if (isa<Function>(o) || isa<UndefValue>(o))
			return true;
		if (isa<GlobalVariable>(o) && movesByBytes(p, o))
			return false;
		if (auto *g = dyn_cast<GlobalVariable>(
			    o)) /* thread-local memory of a shared library may come from malloc */
			return !g->isThreadLocal() || M.getPICLevel() == PICLevel::NotPIC ||
			       M.getPIELevel() != PIELevel::Default;
		auto *a = dyn_cast<Argument>(o);
		/* not a block of malloc's that stays here: a function it is lent to (`noescape`) may check it */
		if (!isa<AllocaInst>(o) && !(a && a->hasByValAttr()))
			return false;
		auto known = Kept.find(o);
		if (known != Kept.end())
			return known->second;
		return Kept[o] = !PointerMayBeCaptured(o, true, true);
	}

	/* ---- stores */

	void range(Instruction *at, Value *p, Value *n)
	{
		auto *c = dyn_cast<ConstantInt>(n);
		if (unwatched(p) || (c && c->isZero()))
			return;
		if (c && c->getValue().ule(WATCH_INLINE))
			storeAsm(at, p, c->getZExtValue(), nullptr);
		else
			call(at, "rf_range", {p, n});
	}
	/* An entry of the table of tests. It goes and stays with the function, unless that may be renamed or go into
	 * another one at the link. */
	std::string site(Instruction *at)
	{
		StringRef name = at->getFunction()->getName();
		bool linked = M.getModuleFlag("ThinLTO") || M.getModuleFlag("EnableSplitLTOUnit") || !plainName(name);
		return "\n\t.pushsection rf_sites,\"a" +
		       (linked ? std::string("?\",@progbits") : "o?\",@progbits," + name.str()) +
		       "\n\t.long 3b-.\n\t.byte 2b-3b\n\t.popsection";
	}
	void storeAsm(Instruction *at, Value *p, uint64_t n, Value *val)
	{
		std::string text = "3:\n\tmovl ${0:k}, %r11d\n\tshrl $$3, %r11d\n\t" + std::string(store_test(n)) +
				   " $$0, " + std::to_string(WATCH_BASE) +
				   "(%r11)\n\tjne 1f\n2:\n\t.subsection 1\n1:\n\t";
		SmallVector<Value *, 2> in{p};
		const std::string compare = std::string("cmp") + store_suffix(n);
		auto *c = dyn_cast_or_null<ConstantInt>(val);
		if (val && (isa<ConstantPointerNull>(val) || (c && c->getValue().isSignedIntN(32)))) {
			text += compare + " $$" + std::to_string(c ? c->getSExtValue() : 0) + ", ($0)\n\tje 2b\n\t";
		} else if (val) {
			text += compare + " ${1:" + store_register(n) + "}, ($0)\n\tje 2b\n\t";
			in.push_back(val);
		}
		text += "movq $0, %r11\n\tcall __rf_store_" + std::to_string(store_stub(n)) +
			"\n\tjmp 2b\n\t.previous" + site(at);
		assemble(at, text, in);
	}
	void store(Instruction *at, Value *p, Type *type, Value *val)
	{
		if (unwatched(p))
			return;
		if (p->getType()->getPointerAddressSpace())
			M.getContext().emitError(at, "refrain: a store to a named address space cannot be watched");
		uint64_t n = DL.getTypeStoreSize(type).getFixedSize();
		if (n > WATCH_INLINE) {
			call(at, "rf_range", {p, number(n)});
			return;
		}
		bool whole = type->isPointerTy() || (type->isIntegerTy() && type->getIntegerBitWidth() == n * 8);
		storeAsm(at, p, n,
			 whole && (n == 1 || n == 2 || n == 4 || n == 8) && !isa<ConstantExpr>(val ? val : p)
				 ? val
				 : nullptr);
	}

	/* ---- calls */

	static bool plainName(StringRef s)
	{
		return s.size() <= 400 &&
		       s.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") ==
			       s.npos;
	}
	std::string unlessInstrumented(GlobalValue *f, const char *stub)
	{
		std::string name = f->getName().str(), has = "__rf_has_" + name;
		std::string out = "\n2:\n\t.subsection 1\n1:\n\tcall " + std::string(stub) +
				  "\n\tjmp 2b\n\t.previous\n\t.weak " + has;
		if (!plainName(name))
			return "call " + std::string(stub);
		/* another definition, without the barrier, may have taken its place */
		return "movq " + has + "@GOTPCREL(%rip), %r11\n\tcmpq " + name + "@GOTPCREL(%rip), %r11\n\tjne 1f" +
		       out;
	}
	static bool isHere(Function *f)
	{
		return !f->isDeclaration() && !f->hasAvailableExternallyLinkage() &&
		       !f->hasFnAttribute(Attribute::Naked);
	}
	static bool surelyOurs(Function *f)
	{
		return isHere(f) && (f->hasLocalLinkage() || (f->isDSOLocal() && !f->isWeakForLinker()));
	}
	static bool isTail(CallBase *c)
	{
		auto *i = dyn_cast<CallInst>(c);
		return i && (i->isMustTailCall() ||
			     (i->isTailCall() && isa_and_nonnull<ReturnInst>(i->getNextNonDebugInstruction())));
	}
	/* Where the call has returned; the destination of an invoke may have other ways in: what is said there is said
	 * once more, which does no harm. */
	static Instruction *after(CallBase *c)
	{
		if (isTail(c))
			return nullptr;
		if (auto *i = dyn_cast<InvokeInst>(c))
			return &*i->getNormalDest()->getFirstInsertionPt();
		return c->isTerminator() ? nullptr : c->getNextNode();
	}
	void behind(CallBase *c, const std::string &text)
	{
		if (Instruction *at = after(c))
			assemble(at, text);
	}
	static bool mentionsN(Value *format)
	{
		StringRef s;
		if (!getConstantStringInfo(format, s))
			return true;
		for (size_t i = 0; i < s.size(); i++)
			if (s[i] == '%') {
				i = s.find_first_not_of("0123456789 #+-'.*$hlLqjztI", i + 1);
				if (i == s.npos)
					return false;
				if (s[i] == 'n')
					return true;
			}
		return false;
	}
	void argument(CallBase *c, unsigned i, char how)
	{
		Value *a = c->getArgOperand(i);
		bool pointer = a->getType()->isPointerTy();
		auto arg = [&](unsigned k) { return k < c->arg_size() ? c->getArgOperand(k) : number(0); };
		if (how == 'F')
			call(c, "rf_mixed", {});
		bool integer = a->getType()->isIntegerTy(64) || (known_always(how) && a->getType()->isIntegerTy());
		if (how == '.' || (!pointer && !integer))
			return;
		if (!pointer)
			a = IRBuilder<>(c).CreateIntToPtr(a, Ptr);
		if ((how == 'f' && !mentionsN(a)) || (!known_always(how) && unwatched(a)))
			return;
		if (const char *name = known_helper(how))
			call(c, name, {a});
		IRBuilder<> b(c);
		auto length = [&](Value *v) { return b.CreateZExtOrTrunc(v, I64); };
		switch (how) {
		case 'n':
			range(c, a, length(arg(i + 1)));
			break;
		case 'N':
			range(c, a, b.CreateMul(length(arg(c->arg_size() - 3)), length(arg(c->arg_size() - 2))));
			break;
		case 'S':
			range(c, a, length(arg(2)));
			break;
		case 'C':
			call(c, "rf_copy", {a, arg(1), arg(2)});
			break;
		case 'i':
			call(c, "rf_iovec", {a, length(arg(i + 1))});
			break;
		default:
			if (known_bytes(how))
				range(c, a, number(known_bytes(how)));
		}
	}
	/* Says after the call, too, that argument i may have been written to: another thread may have checked
	 * meanwhile. */
	void wrote(CallBase *c, unsigned i, char how)
	{
		Value *a = c->getArgOperand(i);
		Instruction *at = after(c);
		bool pointer = a->getType()->isPointerTy(), invoke = isa<InvokeInst>(c);
		if (!at || !known_after(how) || (!pointer && !a->getType()->isIntegerTy(64)) ||
		    (pointer && !known_always(how) && unwatched(a)))
			return;
		if (known_after(how) != 2 && (!invoke || at->getParent()->getSinglePredecessor()))
			call(at, known_after(how) == 1 ? "rf_wrote" : "rf_wrote_lock",
			     {pointer ? a : IRBuilder<>(c).CreateIntToPtr(a, Ptr)});
		else
			call(at, "rf_wrote_any", {});
	}
	void known(CallBase *c, Function *f, const char *how)
	{
		char last = '.';
		bool waits = *how == '!', text = false;
		how += waits;
		const char *letters = how;
		if (*how == 'E')
			call(c, "rf_caught", {});
		unsigned first = c->hasStructRetAttr(); /* where the result goes is no argument of the table's */
		if (first && !unwatched(c->getArgOperand(0)))
			call(c, "rf_block", {c->getArgOperand(0)});
		for (unsigned i = first; i < c->arg_size(); i++) {
			last = *how ? *how++ : last == '*' ? '*' : '.';
			argument(c, i, last);
			text |= last == 't' || last == '*';
			waits |= last == 'c' || (last == 'f' && mentionsN(c->getArgOperand(i)));
		}
		if (text) {
			if (auto *i = dyn_cast<CallInst>(c); i && !i->isMustTailCall())
				i->setTailCall(false);
			if (Instruction *at = after(c))
				call(at, "rf_unbounded_end", {});
		}
		if (!waits)
			return;
		/* checks made before the call returns walk their value in full: it may write after them */
		if (auto *i = dyn_cast<CallInst>(c); i && !i->isMustTailCall())
			i->setTailCall(false);
		last = '.';
		for (unsigned i = first; i < c->arg_size(); i++) {
			last = *letters ? *letters++ : last == '*' ? '*' : '.';
			wrote(c, i, last);
		}
		assemble(c, unlessInstrumented(f, "__rf_callback"));
		behind(c, unlessInstrumented(f, "__rf_back"));
	}
	static const char *knownCall(Function *f)
	{
		StringRef name = f->getName();
		name.consume_front("\01");
		name.consume_front("__isoc99_") || name.consume_front("__isoc23_");
		return known_call(name.str().c_str());
	}
	void intrinsic(IntrinsicInst *i)
	{
		auto size = [&](unsigned k) {
			return number(DL.getTypeStoreSize(i->getArgOperand(k)->getType()).getFixedSize());
		};
		switch (i->getIntrinsicID()) {
		case Intrinsic::masked_store:
		case Intrinsic::masked_compressstore:
			range(i, i->getArgOperand(1), size(0));
			return;
		case Intrinsic::masked_scatter:
			call(i, "rf_everything", {});
			return;
		case Intrinsic::vastart:
		case Intrinsic::vacopy:
			range(i, i->getArgOperand(0), number(24));
			return;
		case Intrinsic::lifetime_start:
		case Intrinsic::lifetime_end:
		case Intrinsic::vaend:
		case Intrinsic::prefetch:
		case Intrinsic::stackrestore:
		case Intrinsic::stacksave:
		case Intrinsic::invariant_start:
		case Intrinsic::invariant_end:
		case Intrinsic::assume:
		case Intrinsic::experimental_noalias_scope_decl:
		case Intrinsic::sideeffect:
		case Intrinsic::donothing:
			return;
		default:
			break;
		}
		StringRef name = i->getCalledFunction()->getName();
		if (name.contains("scatter") || name.contains("tilestore"))
			call(i, "rf_everything", {});
		for (Value *a : i->args())
			if (a->getType()->isPointerTy() && !unwatched(a)) {
				if (name.contains("save") || name.contains("clzero") || name.contains("wide"))
					call(i, "rf_block", {a});
				else
					call(i, "rf_range", {a, number(64)});
			}
	}
	void calls(CallBase *c, GlobalValue *f)
	{
		assemble(c, unlessInstrumented(f, "__rf_out"));
		behind(c, unlessInstrumented(f, "__rf_back"));
	}
	void visitCall(CallBase *c)
	{
		if (auto *m = dyn_cast<AnyMemIntrinsic>(c)) {
			if (auto *t = dyn_cast<AnyMemTransferInst>(c); t && !unwatched(t->getRawDest()))
				call(c, "rf_copy", {t->getRawDest(), t->getRawSource(), t->getLength()});
			else if (!t)
				range(c, m->getRawDest(), m->getLength());
			return;
		}
		if (auto *i = dyn_cast<IntrinsicInst>(c)) {
			intrinsic(i);
			return;
		}
		Value *callee = c->getCalledOperand()->stripPointerCasts();
		if (auto *alias = dyn_cast<GlobalAlias>(callee)) {
			auto *to = dyn_cast_or_null<Function>(alias->getAliaseeObject());
			if (to && surelyOurs(to) && !alias->isWeakForLinker() &&
			    (alias->hasLocalLinkage() || alias->isDSOLocal()))
				return;
			calls(c, alias);
			return;
		}
		auto *f = dyn_cast<Function>(callee);
		if (isa<GlobalIFunc>(c->getCalledOperand()->stripPointerCasts())) {
			/* its code may be any; as an operand of asm it is too much for the link-time optimiser */
			assemble(c, "call __rf_out");
			behind(c, "call __rf_back");
			return;
		}
		if (!f) {
			if (!c->getCalledOperand()->getType()->getPointerAddressSpace()) {
				assemble(c, "movq $0, %r11\n\tcall __rf_indirect",
					 {IRBuilder<>(c).CreatePointerCast(c->getCalledOperand(), Ptr)});
				behind(c, "movq rf_outsiders@GOTPCREL(%rip), %r11\n\tcmpl $$0, (%r11)\n\tjne "
					  "1f\n2:\n\t.subsection 1\n1:\n\t"
					  "call __rf_back\n\tjmp 2b\n\t.previous");
			}
			return;
		}
		if (surelyOurs(f))
			return;
		const char *how = isHere(f) ? nullptr : knownCall(f);
		if (how) {
			known(c, f, how);
			return;
		}
		calls(c, f);
	}

	/* ---- inline assembler */

	void visitAsm(CallBase *c)
	{
		auto *a = cast<InlineAsm>(c->getCalledOperand());
		if (a->getAsmString().find("__rf_") != std::string::npos)
			return;
		const asm_text t = asm_read(a->getAsmString().c_str(), '$');
		unsigned k = 0;
		bool memory = false;
		for (const InlineAsm::ConstraintInfo &i : a->ParseConstraints()) {
			for (const std::string &code : i.Codes)
				memory |= i.Type == InlineAsm::isClobber && code == "{memory}";
			if (i.Type == InlineAsm::isOutput &&
			    i.isIndirect) { /* an output in memory: its address is passed */
				Value *p = c->getArgOperand(k);
				Type *type = c->getAttributes().getParamElementType(k);
				if (!type)
					type = p->getType()->getPointerElementType();
				uint64_t n = DL.getTypeStoreSize(type).getFixedSize();
				if (n)
					range(c, p, number(n));
				else if (!unwatched(p)) /* an array whose length is not said */
					call(c, "rf_block", {p});
			}
			k += i.Type == InlineAsm::isInput || i.isIndirect;
		}
		if (t.silent)
			return;
		bool any = memory || (c->arg_empty() && c->getType()->isVoidTy()) || asm_goes_on(&t),
		     system = known_system_call(a->getAsmString().c_str());
		if (t.calls) { /* code without the barrier */
			assemble(c, "call __rf_out");
			behind(c, "call __rf_back");
		}
		if (Instruction *at = system || t.jumps ? after(c) : nullptr)
			call(at, "rf_wrote_any", {}); /* another thread may check before it writes */
		if (system)
			call(c, "rf_syscall", {callNumber(c, a)});
		else if (any)
			call(c, "rf_everything", {});
		for (Value *v : c->args()) { /* many do not say what they write */
			bool integer = (a->hasSideEffects() || t.brackets) && v->getType()->isIntegerTy(64) &&
				       !isa<Constant>(v);
			Value *p = integer ? IRBuilder<>(c).CreateIntToPtr(v, Ptr) : v;
			if (!any && !system && p->getType()->isPointerTy() && !p->getType()->getPointerAddressSpace() &&
			    !unwatched(p))
				call(c, "rf_block", {p});
		}
	}
	/* A system call made by hand|
: the value of rax, which says which, or -1 if no operand has it. */
	Value *callNumber(CallBase *c, InlineAsm *a)
	{
		InlineAsm::ConstraintInfoVector all = a->ParseConstraints();
		unsigned k = 0;
		for (const InlineAsm::ConstraintInfo &i : all) {
			bool in_rax = false;
			for (const std::string &code : i.Codes) {
				unsigned tied = ~0u;
				if (!StringRef(code).getAsInteger(10, tied) && tied < all.size() &&
				    !all[tied].Codes.empty())
					in_rax |= inRax(all[tied].Codes[0]);
				in_rax |= inRax(code);
			}
			if (i.Type == InlineAsm::isInput && in_rax && c->getArgOperand(k)->getType()->isIntegerTy())
				return IRBuilder<>(c).CreateZExtOrTrunc(c->getArgOperand(k), I64);
			k += i.Type == InlineAsm::isInput || i.isIndirect;
		}
		return number(~(uint64_t)0);
	}
	static bool inRax(StringRef code)
	{
		return code == "a" || code == "{ax}" || code == "{eax}" || code == "{rax}";
	}

	/* ---- functions */

	void visit(Instruction *i)
	{
		if (auto *s = dyn_cast<StoreInst>(i)) {
			store(i, s->getPointerOperand(), s->getValueOperand()->getType(), s->getValueOperand());
		} else if (auto *r = dyn_cast<AtomicRMWInst>(i)) {
			store(i, r->getPointerOperand(), r->getValOperand()->getType(), nullptr);
		} else if (auto *x = dyn_cast<AtomicCmpXchgInst>(i)) {
			store(i, x->getPointerOperand(), x->getNewValOperand()->getType(), nullptr);
		} else if (auto *c = dyn_cast<CallBase>(i)) {
			if (c->isInlineAsm())
				visitAsm(c);
			else
				visitCall(c);
		}
	}
	/* A name of the function, its own or an alias, under which other units may call it. */
	void declareName(GlobalValue *n, Function *f, SmallVectorImpl<GlobalValue *> &used)
	{
		if (n->hasLocalLinkage() || !plainName(n->getName()))
			return;
		auto *a = GlobalAlias::create(f->getValueType(), 0, GlobalValue::WeakAnyLinkage,
					      "__rf_has_" + n->getName(), f, &M);
		a->setVisibility(n->getVisibility());
		used.push_back(a);
	}
	/* By name for calls to it, by address for calls through pointers. */
	void declareInstrumented(Function *f, SmallVectorImpl<GlobalValue *> &used)
	{
		SmallVector<GlobalValue *, 4> names;
		names.push_back(f);
		for (GlobalAlias &a : M.aliases())
			if (a.getAliaseeObject() == f)
				names.push_back(&a);
		for (GlobalValue *n : names)
			declareName(n, f, used);
		auto *entry = new GlobalVariable(M, Ptr, false, GlobalValue::PrivateLinkage,
						 ConstantExpr::getBitCast(f, Ptr), "__rf_entry");
		entry->setSection("rf_text");
		entry->setAlignment(Align(8));
		entry->setMetadata(LLVMContext::MD_associated, MDNode::get(M.getContext(), ValueAsMetadata::get(f)));
		if (f->hasComdat())
			entry->setComdat(f->getComdat());
		used.push_back(entry);
	}
};

/* rf_scan0, rf_explain12, rf_after3: they write to the runtime's arrays only. */
static bool isGenerated(StringRef name)
{
	for (StringRef prefix : {"rf_scan", "rf_explain", "rf_after"})
		if (name.startswith(prefix) && name.size() > prefix.size() && isDigit(name[prefix.size()]))
			return true;
	return false;
}

void Barrier::run()
{
	SmallVector<Function *, 64> functions;
	SmallVector<GlobalValue *, 64> used;
	for (Function &f : M)
		if (isHere(&f) && !isGenerated(f.getName()))
			functions.push_back(&f);
	for (Function *f : functions) {
		SmallVector<Instruction *, 64> work;
		for (Instruction &i : instructions(*f))
			if (i.mayWriteToMemory() || isa<CallBase>(i))
				work.push_back(&i);
		for (Instruction *i : work)
			if (auto *c = dyn_cast<CallBase>(i); !c || c->isInlineAsm() || !c->onlyReadsMemory())
				visit(i);
		f->addFnAttr(Attribute::NoRedZone);
	}
	for (Function *f : functions)
		declareInstrumented(f, used);
	/* refrain-cc looks for this name at the link, in object files and in bitcode */
	auto *mark = new GlobalVariable(M, Type::getInt8Ty(M.getContext()), true, GlobalValue::InternalLinkage,
					ConstantInt::get(Type::getInt8Ty(M.getContext()), 1), "__rf_barrier_mark");
	mark->setSection(".refrain");
	used.push_back(mark);
	appendToUsed(M, used);
}

struct BarrierPass : PassInfoMixin<BarrierPass> {
	static bool isRequired()
	{
		return true;
	}
	PreservedAnalyses run(Module &m, ModuleAnalysisManager &)
	{
		Barrier(m).run();
		return PreservedAnalyses::none();
	}
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo()
{
	return {LLVM_PLUGIN_API_VERSION, "refrain-barrier", "1", [](PassBuilder &b) {
			b.registerOptimizerLastEPCallback(
				[](ModulePassManager &m, OptimizationLevel) { m.addPass(BarrierPass()); });
		}};
}
