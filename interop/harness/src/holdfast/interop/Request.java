package holdfast.interop;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;

/** One line from the test: {"id":7,"thread":"t1","op":"lock.tryLock","name":"orders","wait":100,"lease":5000}. */
public final class Request {
    private final JsonObject json;

    private Request(JsonObject json) {
        this.json = json;
    }

    public static Request parse(String line) {
        return new Request(JsonParser.parseString(line).getAsJsonObject());
    }

    public long id() {
        return number("id", 0);
    }

    public String op() {
        return text("op");
    }

    public String thread() {
        return json.has("thread") ? text("thread") : "main";
    }

    public String name() {
        return text("name");
    }

    /** Milliseconds; -1, which the Java APIs read as "not given", when the test gave none. */
    public long patience() {
        return number("wait", -1);
    }

    /** As patience. */
    public long lease() {
        return number("lease", -1);
    }

    public String text(String field) {
        JsonElement value = json.get(field);
        if (value == null) {
            throw new IllegalArgumentException("request without " + field);
        }
        return value.getAsString();
    }

    public long number(String field, long otherwise) {
        JsonElement value = json.get(field);
        return value == null ? otherwise : value.getAsLong();
    }
}
