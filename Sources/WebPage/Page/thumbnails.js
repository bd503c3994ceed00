// Thumbnails: for a row in view whose picture has none, the browser makes one, and the server keeps
// it. The server decodes no picture, and nothing that a photo says about itself gets into a thumbnail.
// A screen loads this module when a picture lacks its thumbnail.

/** Returns the function that makes the missing thumbnails within an element when they are in view. */
function startThumbnails() {
  const size = 112;
  const drawn = (draw) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: size, height: size });
    draw(canvas.getContext("2d"));
    return canvas;
  };
  /** False in a browser that alters what a page reads from a canvas. */
  const readsTrueColors = () => {
    const canvas = drawn((context) => {
      context.fillStyle = "#2468ac";
      context.fillRect(0, 0, size, size);
    });
    const { data } = canvas.getContext("2d").getImageData(0, 0, size, size);
    return data.every((value, index) => value === [0x24, 0x68, 0xac, 0xff][index % 4]);
  };
  const make = async (image) => {
    const address = image.dataset.thumbnail;
    const [path, version] = address.split("?v=");
    const picture = new Image();
    picture.src = "/f/" + path.slice(3);
    await picture.decode();
    const side = Math.min(picture.naturalWidth, picture.naturalHeight);
    const canvas = drawn((context) => {
      context.fillStyle = "#fff";
      context.fillRect(0, 0, size, size);
      context.imageSmoothingQuality = "high";
      context.drawImage(picture, (picture.naturalWidth - side) / 2, (picture.naturalHeight - side) / 2,
        side, side, 0, 0, size, size);
    });
    for (const quality of [0.8, 0.6, 0.3]) {
      const file = await new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));
      if (!file || file.size > 12000) continue;
      const answer = await request("PUT", path, file,
        { "Content-Type": "image/jpeg", "If-Match": `"${version}"` });
      if (answer.status !== 204) return;
      delete image.dataset.thumbnail;
      image.src = address;
      return;
    }
  };
  const waiting = [];
  let running = 0;
  const next = () => {
    while (running < 2 && waiting.length) {
      running += 1;
      // A picture that the browser cannot draw keeps its icon.
      make(waiting.shift()).catch(() => {}).finally(() => { running -= 1; next(); });
    }
  };
  const observer = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      waiting.push(target);
    }
    next();
  });
  if (isReadOnly || !readsTrueColors()) return () => {};
  return (part) => findAll("img[data-thumbnail]", part).forEach((image) => observer.observe(image));
}

export const makeThumbnails = startThumbnails();
