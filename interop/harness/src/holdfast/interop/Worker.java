package holdfast.interop;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A named Java thread: ops sent to it run in the order sent, and the library sees the same owner each time. */
final class Worker {
    private final BlockingQueue<Runnable> ops = new LinkedBlockingQueue<>();
    private final Thread thread;
    private volatile boolean stopping;

    Worker(String name) {
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    void submit(Runnable op) {
        ops.add(op);
    }

    /** Interrupts the op that runs now; one that is still queued is not touched. */
    void interrupt() {
        thread.interrupt();
    }

    /** Asks the workload that runs now to end after its round. */
    void stop() {
        stopping = true;
    }

    boolean stopping() {
        return stopping;
    }

    private void run() {
        while (true) {
            try {
                Runnable op = ops.take();
                stopping = false;
                op.run();
                // An interrupt that came too late for its op must not hit the next one.
                Thread.interrupted();
            } catch (InterruptedException idle) {
                // Interrupted between two ops: there was nothing to interrupt.
            }
        }
    }
}
