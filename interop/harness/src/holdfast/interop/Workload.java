package holdfast.interop;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Many rounds of enter, work, leave in one op, so that the line protocol is not in the contended path. */
final class Workload {
    private final Backend backend;
    private final Request request;
    private final Recipe.Section section;
    private final BooleanSupplier stopping;

    private final long rounds;
    private final long think;
    private final long pause;

    private long entered;
    private long refused;
    private long sold;
    private final List<long[]> history = new ArrayList<>();

    Workload(Backend backend, Recipe recipe, Request request, BooleanSupplier stopping) {
        this.backend = backend;
        this.request = request;
        this.section = recipe.section(request);
        this.stopping = stopping;
        rounds = request.number("rounds", 1);
        think = request.number("think", 0);
        pause = request.number("pause", 0);
    }

    Object run(String verb) throws Exception {
        for (long round = 0; round < rounds && !stopping.getAsBoolean(); round++) {
            long asked = Reply.wall();
            if (!section.enter()) {
                refused++;
                continue;
            }
            long got = Reply.wall();
            long left;
            try {
                work(verb);
            } finally {
                left = Reply.wall();
                section.leave();
            }
            entered++;
            history.add(new long[] {asked, got, left, Reply.wall()});
            sleep(pause);
        }
        return report();
    }

    private void work(String verb) throws Exception {
        switch (verb) {
            case "loop" -> sleep(think);
            case "inventory" -> sell();
            default -> throw Recipe.unknown(verb);
        }
    }

    /** Two plain reads and two plain writes: only the lock keeps another seller from coming between them. */
    private void sell() throws Exception {
        String stockKey = request.text("stock");
        String soldKey = request.text("sold");
        long stock = number(backend.get(stockKey));
        long soldSoFar = number(backend.get(soldKey));
        sleep(think);
        if (stock > 0) {
            backend.set(stockKey, Long.toString(stock - 1));
            backend.set(soldKey, Long.toString(soldSoFar + 1));
            sold++;
        }
    }

    private Map<String, Object> report() {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("entered", entered);
        report.put("refused", refused);
        report.put("sold", sold);
        // Wall clock, nanoseconds: asked, got, began to leave, left. Between the middle two nobody else may be in.
        report.put("history", history);
        return report;
    }

    private static long number(String value) {
        return value == null ? 0 : Long.parseLong(value);
    }

    private static void sleep(long micros) throws InterruptedException {
        TimeUnit.MICROSECONDS.sleep(micros);
    }
}
