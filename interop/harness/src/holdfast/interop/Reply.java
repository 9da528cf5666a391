package holdfast.interop;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes one line per reply. Times are taken on the thread that ran the op, so queueing is not in them. */
final class Reply {
    private static final Gson GSON = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

    private final PrintStream out;

    Reply(PrintStream out) {
        this.out = out;
    }

    /** An op, run and answered. Nothing it throws ends its thread: the next op needs that thread's identity. */
    void answer(long id, Op op) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("id", id);
        long wall = wall();
        long nano = System.nanoTime();
        try {
            line.put("result", op.run());
        } catch (Throwable e) {
            line.put("error", e.getClass().getName());
            line.put("message", String.valueOf(e.getMessage()));
            line.put("causes", causes(e));
        }
        long end = System.nanoTime();
        line.put("began", wall);
        line.put("ended", wall());
        line.put("beganNano", nano);
        line.put("endedNano", end);
        line.put("elapsed", (end - nano) / 1e6);
        write(line);
    }

    /** A line that is no answer: the peer's hello, or why it gives up. */
    void write(Map<String, Object> line) {
        String text = GSON.toJson(line);
        synchronized (out) {
            out.println(text);
            out.flush();
        }
    }

    /** Nanoseconds since the epoch: the one clock that the test's process can compare with its own. */
    static long wall() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }

    /** What lies beneath: Redisson wraps an interrupt, or a refused connection, now one way and now another. */
    private static List<String> causes(Throwable e) {
        List<String> causes = new ArrayList<>();
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            causes.add(cause.toString());
        }
        return causes;
    }

    interface Op {
        Object run() throws Exception;
    }
}
