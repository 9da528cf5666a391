package holdfast.interop;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The loop from stdin to stdout: one JSON object a line, ops of one named thread in order, threads side by side. */
public final class Peer {
    private final Backend backend;
    private final Reply reply;
    private final Map<String, Worker> workers = new ConcurrentHashMap<>();

    private Peer(Backend backend, Reply reply) {
        this.backend = backend;
        this.reply = reply;
    }

    /** Opens the backend, says hello, serves. Does not return. */
    public static void serve(Opener opener) {
        Reply reply = new Reply(new PrintStream(System.out, false, StandardCharsets.UTF_8));
        // What a library prints must not come between two replies.
        System.setOut(System.err);
        Map<String, Object> hello = new LinkedHashMap<>();
        try {
            Backend backend = opener.open();
            hello.put("hello", backend.id());
            hello.put("recipes", backend.recipes().keySet());
            reply.write(hello);
            new Peer(backend, reply).run();
        } catch (Throwable e) {
            hello.put("error", e.getClass().getName());
            hello.put("message", String.valueOf(e.getMessage()));
            reply.write(hello);
        }
        Runtime.getRuntime().halt(1);
    }

    private void run() throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            accept(Request.parse(line));
        }
        // The test is gone. Halt, as a crash would: what is held stays in the store until its lease ends.
        Runtime.getRuntime().halt(0);
    }

    private void accept(Request request) {
        switch (request.op()) {
            // These must not queue behind an op that blocks, so the reading thread answers them.
            case "ping" -> reply.answer(request.id(), () -> "pong");
            case "interrupt" -> reply.answer(request.id(), () -> { worker(request).interrupt(); return null; });
            case "stop" -> reply.answer(request.id(), () -> { worker(request).stop(); return null; });
            case "exit" -> exit(request);
            default -> {
                Worker worker = worker(request);
                worker.submit(() -> reply.answer(request.id(), () -> run(request, worker)));
            }
        }
    }

    private Worker worker(Request request) {
        return workers.computeIfAbsent(request.thread(), Worker::new);
    }

    private Object run(Request request, Worker worker) throws Exception {
        if (request.op().equals("id")) {
            return backend.owner();
        }
        String[] op = request.op().split("\\.", 2);
        if (op.length != 2) {
            throw new IllegalArgumentException("unknown op " + request.op());
        }
        if (op[0].equals("work")) {
            return new Workload(backend, recipe(request.text("recipe")), request, worker::stopping).run(op[1]);
        }
        return recipe(op[0]).run(op[1], request);
    }

    private Recipe recipe(String name) {
        Recipe recipe = backend.recipes().get(name);
        if (recipe == null) {
            throw new UnsupportedOperationException("no recipe " + name + " in this version");
        }
        return recipe;
    }

    private void exit(Request request) {
        reply.answer(request.id(), () -> { backend.close(); return null; });
        Runtime.getRuntime().halt(0);
    }

    /** Opens a backend; what it throws is reported to the test. */
    public interface Opener {
        Backend open() throws Exception;
    }
}
