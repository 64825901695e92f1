// SPDX-License-Identifier: Apache-2.0
// A browser starts no worker for a page that is a file, so its search would find nothing. Here the search's
// worker runs in a frame of the page instead. The theme looks for the name IFrameWorker.
if (location.protocol === "file:") {
    const load = (frame, url) =>
        new Promise((done, failed) => {
            const script = frame.contentDocument.createElement("script");
            script.src = url;
            script.onload = done;
            script.onerror = () => failed(new Error(`${url}: not loaded`));
            frame.contentDocument.body.append(script);
        });

    window.Worker = window.IFrameWorker = class extends EventTarget {
        constructor(url) {
            super();
            this.frame = document.createElement("iframe");
            this.frame.hidden = true;
            document.body.append(this.frame);
            const inside = this.frame.contentWindow;
            inside.importScripts = async (...urls) => {
                for (const each of urls) await load(this.frame, each);
            };
            inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
            this.loaded = load(this.frame, url);
        }

        postMessage(data) {
            const inside = this.frame.contentWindow;
            this.loaded.then(() => inside.dispatchEvent(new MessageEvent("message", { data })));
        }
    };
}
