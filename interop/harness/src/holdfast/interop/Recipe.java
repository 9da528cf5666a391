package holdfast.interop;

/** One recipe of a library. Its verbs are the second half of an op, as in "tryLock" of "lock.tryLock". */
public interface Recipe {
    /** Carries out a verb on the calling thread; the answer goes out as JSON. */
    Object run(String verb, Request request) throws Exception;

    /** The recipe as a critical section, for workloads. Recipes that exclude nobody have none. */
    default Section section(Request request) {
        throw new IllegalArgumentException("this recipe is no critical section");
    }

    /** Enters and leaves a critical section on the calling thread. */
    interface Section {
        /** False when the time given in the request ran out. */
        boolean enter() throws Exception;

        void leave() throws Exception;
    }

    static IllegalArgumentException unknown(String verb) {
        return new IllegalArgumentException("unknown verb " + verb);
    }
}
